"""What can go wrong in a command, and the exit codes that scripts depend on."""

from typing import Any

DONE, FAILED, WRONG_USE, DIVERGED, STOPPED = range(5)
"""Exit codes: done, the target failed, wrong use, the replay diverged, stopped."""

_CODES = {"completed": DONE, "held": DONE, "failed": FAILED, "lost": FAILED, "diverged": DIVERGED, "stopped": STOPPED}


class Problem(Exception):
    """The command cannot do what was asked; the message names the thing, the reason and the way out."""

    def __init__(self, message: str, code: str = "wrong_use", schema: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.schema = schema

    def document(self) -> dict[str, Any]:
        error = {"code": self.code, "message": str(self)}
        return {"error": {**error, "schema": self.schema} if self.schema is not None else error}


class OutputGone(Exception):
    """Who read our output has gone, as `head` does when it has enough."""


def is_wrong_use(error: Any) -> bool:
    """Whether a run failed because it was asked for wrongly: nothing of the program itself went wrong."""
    return isinstance(error, dict) and error.get("wrong_use") is True


def exit_code(run: dict[str, Any]) -> int:
    """The exit code for a run as it is now; one that still goes on is fine."""
    if is_wrong_use(run.get("error")):
        return WRONG_USE
    return _CODES.get(run["status"], DONE)
