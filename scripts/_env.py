"""The virtual environments of a checkout: made when missing, remade when what they were made from has changed.

`.venv` holds the server: this checkout, editable, with the pins of `constraints.txt`. `.envs/NAME` holds one framework
that Outtake debugs, from the pins of `envs/NAME.txt`, because frameworks exclude each other in one environment.
A stamp in each environment names what it was made from, so asking again for one that is up to date costs one hash.
The user interface is a part like them: built into the checkout, and again when its sources have changed.
Standard library only: this runs on a machine that has nothing else.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import _ui

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOT = Path(__file__).resolve().parent.parent
ENVS = ROOT / ".envs"
PINS = ROOT / "envs"
BIN = "Scripts" if sys.platform == "win32" else "bin"
EXE = ".exe" if sys.platform == "win32" else ""
TITLES = {
    "autogen": "AutoGen",
    "browser": "browser tests'",
    "compat": "examples'",
    "crewai": "CrewAI",
    "crewai-oldest": "oldest CrewAI",
    "langgraph": "LangGraph",
    "langgraph-oldest": "oldest LangGraph",
    "openai-agents": "OpenAI Agents SDK",
    "openai-agents-oldest": "oldest OpenAI Agents SDK",
    "openai1": "openai 1.x",
    "openai2": "openai 2.x",
    "openai3": "openai 3.x",
    "llamaindex": "LlamaIndex",
    "llamaindex-oldest": "oldest LlamaIndex",
    "pydantic-ai": "pydantic-ai",
    "pydantic-ai-oldest": "oldest pydantic-ai",
    "state": "browser, kernel and server",
    "node": "Node",
}
SECONDS = {
    "autogen": 40,
    "browser": 30,
    "compat": 90,
    "crewai": 90,
    "crewai-oldest": 90,
    "lint": 60,
    "llamaindex": 40,
    "llamaindex-oldest": 40,
    "openai-agents": 25,
    "openai-agents-oldest": 25,
    "server": 30,
    "state": 60,
}


class SetupError(Exception):
    """A part could not be made; the message says which, why, and what to do."""


class Part(Protocol):
    """What a checkout needs and does not bring along."""

    def is_current(self) -> bool:
        """Whether it is there, made from what it would be made from now."""

    def make(self) -> None:
        """Make it, if nobody else has meanwhile."""


@dataclass(frozen=True)
class Environment:
    """One virtual environment, and what it is to be made from."""

    name: str
    path: Path
    requirements: tuple[str, ...]
    """Arguments of `pip install`, run in the checkout."""
    sources: tuple[str, ...]
    """Everything besides the interpreter that decides what ends up installed."""

    @property
    def python(self) -> Path:
        return self.command("python")

    def command(self, name: str) -> Path:
        """Where the environment has the command of that name."""
        return self.path / BIN / f"{name}{EXE}"

    @property
    def key(self) -> str:
        """Changes when the environment has to be made again; its place counts because scripts in it hold the path."""
        parts = (sys.version, str(self.path), *self.requirements, *self.sources)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def stamp(self) -> Path:
        return self.path / "made-from"

    def is_current(self) -> bool:
        return self.python.exists() and self.stamp.is_file() and self.stamp.read_text() == self.key

    def make(self) -> None:
        title = f"the {TITLES.get(self.name, self.name)} environment"
        with _lock(self.name):
            if self.is_current():
                return
            with _telling("installing", "installed", title, SECONDS.get(self.name, 15)):
                self.stamp.unlink(missing_ok=True)
                _run(
                    [sys.executable, "-m", "venv", "--clear", str(self.path)],
                    title,
                    "On Debian and Ubuntu the module is a package of its own: apt-get install python3-venv",
                )
                _run(
                    [str(self.python), "-m", "pip", "install", "--quiet", *self.requirements],
                    title,
                    "Is the package index reachable from here? Running the script again starts afresh.",
                )
                self.stamp.write_text(self.key)


class Ui:
    """The user interface, in the checkout's own package, where an editable install finds it."""

    def is_current(self) -> bool:
        try:
            return not _ui.is_needed()
        except _ui.BuildError as error:
            raise SetupError(str(error)) from error

    def make(self) -> None:
        python = with_node()
        with _telling("building", "built", "the user interface", 20):
            done = subprocess.run(
                [python, _ui.__file__, "build"], stderr=subprocess.PIPE, text=True, errors="replace", check=False
            )
            if done.returncode:
                raise SetupError(done.stderr.strip())


def with_node() -> Path:
    """A Python with which `_ui.py` finds a Node: any where the machine has one, else that of an environment with it."""
    if _ui.machine_has_node():
        return Path(sys.executable)
    node = Environment("node", ENVS / "node", ("-c", "constraints.txt", _ui.NODE_WHEEL), (_constraints(),))
    ensure(node)
    return node.python


def server() -> Environment:
    """The environment in which Outtake itself and its tests run."""
    return _checkout("server", ROOT / ".venv", "test")


def browser() -> Environment:
    """The server's environment with what drives a browser."""
    return _checkout("browser", ENVS / "browser", "browser,test")


def lint() -> Environment:
    """The server's environment with the checkers, and with the frameworks that the adapters are checked against."""
    return _checkout("lint", ENVS / "lint", "lint")


def target(name: str) -> Environment:
    """The environment of one framework, from `envs/NAME.txt`."""
    pins = PINS / f"{name}.txt"
    if not pins.is_file():
        raise SetupError(f"there is no target environment {name!r}. Known ones: {', '.join(target_names())}.")
    return Environment(name, ENVS / name, ("-r", str(pins.relative_to(ROOT))), (pins.read_text(),))


def compat() -> Environment:
    """The environment in which frameworks' own examples and tests run: all of them, with IPython."""
    pins = (ROOT / "compat" / "pins.txt").read_text()
    return Environment("compat", ENVS / "compat", ("-r", "compat/pins.txt"), (pins,))


def target_names() -> list[str]:
    return sorted(pins.stem for pins in PINS.glob("*.txt"))


def ensure(*parts: Part) -> None:
    """Make those of the parts that are missing or out of date, side by side."""
    stale = [part for part in parts if not part.is_current()]
    if not stale:
        return
    with ThreadPoolExecutor(max_workers=4) as pool:
        for _ in pool.map(lambda part: part.make(), stale):
            pass


def _checkout(name: str, path: Path, extra: str) -> Environment:
    """An environment with this checkout in it. Of pyproject.toml only what an installer reads counts."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packaging = {
        "build-system": pyproject["build-system"],
        "project": pyproject["project"],
        "hatch": pyproject["tool"].get("hatch"),
    }
    sources = (json.dumps(packaging, sort_keys=True), _constraints())
    return Environment(name, path, ("-c", "constraints.txt", "-e", f".[{extra}]"), sources)


def _constraints() -> str:
    return (ROOT / "constraints.txt").read_text()


@contextlib.contextmanager
def _telling(doing: str, done: str, title: str, seconds: int) -> Iterator[None]:
    """Say that something begins that takes its time, and how long it took."""
    _say(f"{doing} {title} (about {seconds} s) ...")
    began = time.monotonic()
    yield
    _say(f"{done} {title} in {time.monotonic() - began:.0f} s")


def _run(command: Sequence[str], title: str, advice: str) -> None:
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"}}
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}
    env |= {"OUTTAKE_UI": "skip"}  # the user interface is a part of its own, made beside the environments
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        said = "\n".join(f"  {line}" for line in done.stdout.splitlines()[-20:])
        raise SetupError(f"making {title} failed.\n  $ {' '.join(command)}\n{said}\n{advice}")


@contextlib.contextmanager
def _lock(name: str) -> Iterator[None]:
    """Two scripts that are started at once do not install into the same place."""
    ENVS.mkdir(exist_ok=True)
    with open(ENVS / f".{name}.lock", "w") as file:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say(line: str) -> None:
    """Progress goes to stderr: a script's stdout is its result."""
    sys.stderr.write(f"{line}\n")  # in one piece: several environments may be talking
