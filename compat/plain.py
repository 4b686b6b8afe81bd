"""Execute a notebook without Outtake: its code cells in IPython, one after the other, up to the first that fails.

python plain.py NOTEBOOK
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path


def main() -> int:
    sys.path[0] = ""  # a notebook imports from its own folder, not from that of this file
    shell = importlib.import_module("IPython.core.interactiveshell").InteractiveShell.instance()
    notebook = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        result = shell.run_cell("".join(cell["source"]), store_history=True)
        if not result.success:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
