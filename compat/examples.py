"""Example programs of a framework: plainly, recorded, and forked without an edit at places all over the record."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from compat.model import Model, serving
from outtake.service.errors import Conflict, ServiceError
from outtake.service.service import Document, Service
from outtake.testing.words import spread
from outtake_probe.records import Json

PLAIN = Path(__file__).with_name("plain.py")
PLACES = 5
_RULER = "-" * 75
"""What IPython prints before a traceback, which Outtake keeps in the record instead."""
BOUND = 120.0
"""Seconds for one execution of a program."""
_SKIPPED = re.compile(r"^\s*(?:[%!].*pip3? |pip3? )install", re.MULTILINE)
"""Lines of notebooks that install packages."""
_DRAWING = "draw_mermaid_png"
"""Has a service in the net draw a picture of a graph."""
_DIFFERS = (
    (re.compile(r"0x[0-9a-f]{6,}"), "0x…"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "…uuid…"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:\+00:00|Z)?"), "…time…"),
    (re.compile(r"datetime\.datetime\([^)]*\)+"), "…time…"),
    (re.compile(r"\b\d+\.\d+ ?(?:s|ms|sec|seconds)\b"), "…seconds…"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
)
"""What differs between two plain executions of a program, too."""


@dataclass(frozen=True)
class Fork:
    """A fork without an edit."""

    at: int
    status: str
    requests: int
    same: bool
    """Whether it ended and printed as the recorded run did."""


@dataclass
class Outcome:
    """What became of one program."""

    name: str
    plain: str
    recorded: str = ""
    requests: int = 0
    """Of the plain execution."""
    recorded_requests: int = 0
    records: int = 0
    same: bool = False
    """Whether it printed under Outtake what it prints plainly, or prints otherwise each time plainly, too."""
    forks: list[Fork] = field(default_factory=list)
    note: str = ""

    @property
    def differs(self) -> bool:
        """Whether anything is otherwise under Outtake."""
        return self.recorded != self.plain or not self.same or any(self._is_otherwise(fork) for fork in self.forks)

    @staticmethod
    def _is_otherwise(fork: Fork) -> bool:
        return not fork.same or fork.requests > 0

    def json(self) -> Mapping[str, object]:
        return {**asdict(self), "differs": self.differs}


def found(folders: Sequence[Path]) -> Iterator[Path]:
    """The programs in these folders: notebooks, and Python files that run when they are executed."""
    for folder in folders:
        paths = [folder] if folder.is_file() else sorted([*folder.rglob("*.ipynb"), *folder.rglob("*.py")])
        for path in paths:
            if path.suffix == ".ipynb" or "__main__" in path.read_text("utf-8", "replace"):
                yield path


def check(path: Path, python: str) -> Outcome:
    """Execute one program in every way."""
    with tempfile.TemporaryDirectory(prefix="outtake-compat-", ignore_cleanup_errors=True) as scratch:
        place = Path(scratch) / "program"
        shutil.copytree(path.parent, place, ignore=shutil.ignore_patterns(".git", "__pycache__", ".outtake"))
        program = place / path.name
        if program.suffix == ".ipynb":
            _adapt(program)
        with serving() as model:
            service = Service(Path(scratch) / "store")
            try:
                return Trial(program, python, model, service).outcome()
            finally:
                service.close()


def _adapt(notebook: Path) -> None:
    """Take out what needs the net and is not the example's point."""
    document = json.loads(notebook.read_text("utf-8"))
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = _without_pictures(_SKIPPED.sub("# ", "".join(cell["source"])))
    notebook.write_text(json.dumps(document), "utf-8")


def _without_pictures(source: str) -> str:
    """A cell without the statements that draw."""
    if _DRAWING not in source:
        return source
    try:
        tree = compile(source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:  # it has commands of the notebook's
        return source
    lines = source.splitlines()
    for statement in tree.body:
        first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
        if any(_DRAWING in line for line in lines[first:last]):
            lines[first:last] = ["pass", *[""] * (last - first - 1)]
    return "\n".join(lines)


@dataclass
class Trial:
    """One program in a folder of its own."""

    program: Path
    python: str
    model: Model
    service: Service

    def outcome(self) -> Outcome:
        """Execute it plainly, record it, fork it."""
        status, printed = self.plainly()
        outcome = Outcome(self.program.stem, status, requests=self.model.count)
        try:
            self.recorded(outcome, printed)
        except ServiceError as error:
            outcome.note = str(error)
        return outcome

    def plainly(self) -> tuple[str, str]:
        """How it ends without Outtake, and what it prints."""
        notebook = self.program.suffix == ".ipynb"
        try:
            done = subprocess.run(
                [self.python, *([str(PLAIN)] if notebook else []), self.program.name],
                cwd=self.program.parent,
                env=_environment(self.model),
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=BOUND,
                check=False,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return "endless", ""
        return "failed" if done.returncode else "completed", done.stdout

    def recorded(self, outcome: Outcome, printed: str) -> None:
        """Run it under Outtake, then fork it."""
        before, env = self.model.count, _environment(self.model)
        options: dict[str, Json] = {"headless": True, "stdin": True, "env": env}
        folder = str(self.program.parent)
        run = self.service.run(self.program.name, python=self.python, folder=folder, **options)["run"]
        info = self._ended(run)
        told = self._printed(run)
        outcome.recorded, outcome.recorded_requests = info["status"], self.model.count - before
        outcome.records = info["records"]
        outcome.same = _words(told) == _words(printed)
        if not outcome.same and _words(self.plainly()[1]) != _words(printed):
            outcome.same, outcome.note = True, "prints otherwise each time"
        if not outcome.same:
            outcome.note = _first_difference(_alike(printed), _alike(told))
        for at in spread(info["records"], PLACES):
            before = self.model.count
            fork = self.service.fork(run, at=at, repeat="serve", **options)["run"]
            state = self._ended(fork)
            again = self._printed(fork)
            same = state["status"] == info["status"] and _words(again) == _words(told)
            outcome.forks.append(Fork(at, state["status"], self.model.count - before, same))
            if not same and all(earlier.same for earlier in outcome.forks[:-1]):
                reason = (state["error"] or {}).get("difference") or _first_difference(_alike(told), _alike(again))
                outcome.note = f"at {at}: {reason}"

    def _ended(self, run: str) -> Document:
        info = self.service.wait(run, until=("held",), timeout=BOUND)
        if info["live"]:
            with contextlib.suppress(Conflict):  # it has just ended by itself
                self.service.control(run, "stop")
            status = "held" if info["status"] == "held" else "endless"
            info = {**self.service.wait(run, timeout=BOUND), "status": status}
        return info

    def _printed(self, run: str) -> str:
        parts = self.service.console(run)["parts"]
        return "".join(part["text"] for part in parts if part["stream"] == 1)


def _environment(model: Model) -> dict[str, str]:
    """What the program finds: the model's address, and no way to anything else."""
    nowhere = "http://127.0.0.1:9"
    return {
        **os.environ,
        "OPENAI_API_KEY": "made-up",
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_BASE": model.url,
        "ANTHROPIC_API_KEY": "made-up",
        "ANTHROPIC_BASE_URL": model.url.removesuffix("/v1"),
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "NO_PROXY": "127.0.0.1,localhost",
        "http_proxy": nowhere,
        "https_proxy": nowhere,
        "no_proxy": "127.0.0.1,localhost",
        "PYTHONWARNINGS": "ignore",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "agg",
    }


def _alike(printed: str) -> list[str]:
    for pattern, instead in _DIFFERS:
        printed = pattern.sub(instead, printed)
    return [line.rstrip() for line in printed.splitlines() if line.strip()]


def _words(printed: str) -> str:
    """What was printed, without the space between it, up to IPython's traceback."""
    return "".join("".join(_alike(printed.partition(_RULER)[0])).split())


def _first_difference(one: Sequence[str], other: Sequence[str]) -> str:
    for mine, theirs in zip([*one, "nothing more"], [*other, "nothing more"], strict=False):
        if mine != theirs:
            return f"printed {theirs[:150]!r} instead of {mine[:150]!r}"
    return "printed more or less"
