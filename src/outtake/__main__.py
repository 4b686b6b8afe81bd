"""``python -m outtake`` is the command `outtake`."""

import sys

from outtake.cli import main

if __name__ == "__main__":
    sys.exit(main())
