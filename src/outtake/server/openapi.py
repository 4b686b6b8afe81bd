"""The OpenAPI document.  ``python -m outtake.server.openapi`` writes the one that is checked in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from outtake.server.app import describe_app

CHECKED_IN = Path("api", "openapi.json")
"""Where it is, from the top of the checkout."""


def document() -> str:
    return json.dumps(describe_app().openapi(), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKED_IN
    path.write_text(document(), "utf-8")


if __name__ == "__main__":
    main()
