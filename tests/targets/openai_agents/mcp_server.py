"""An MCP server on standard input and output: `look` reads, and counts its calls in the file that it is given."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}
LOOK = {"name": "look", "description": "Look.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}


def answer(method: str, given: Any) -> Any:
    """The result of a request; None for one that is not known."""
    if method == "initialize":
        about = {"name": "looking", "version": "1"}
        return {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [LOOK]}
    if method == "tools/call":
        with Path(sys.argv[1]).open("a", encoding="utf-8") as calls:
            calls.write("call\n")
        return {"content": [{"type": "text", "text": f"saw {given['arguments']['what']}"}]}
    return {} if method == "ping" else None


def main() -> None:
    """Answer until the client goes away."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        found = answer(request["method"], request.get("params"))
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        reply = {"jsonrpc": "2.0", "id": request["id"], **({"result": found} if found is not None else unknown)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
