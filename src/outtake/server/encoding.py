"""How documents become bytes: plain JSON in ASCII, because what a program said may be no valid Unicode."""

from __future__ import annotations

import json
from typing import Any

from fastapi.responses import JSONResponse

encode = json.JSONEncoder(separators=(",", ":")).encode


class Plain(JSONResponse):
    """A JSON answer; characters that are half of a pair are escaped, not refused."""

    def render(self, content: Any) -> bytes:
        return encode(content).encode("ascii")
