"""The virtual environments of a checkout: made when missing, remade when what they were made from has changed.

`.venv` holds the server: this checkout, editable, with the pins of `constraints.txt`. `.envs/NAME` holds one framework
that Outtake debugs, from the pins of `envs/NAME.txt`, because frameworks exclude each other in one environment.
A stamp in each environment names what it was made from, so asking again for one that is up to date costs one hash.
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
    "langgraph": "LangGraph",
    "langgraph-oldest": "oldest LangGraph",
    "openai1": "openai 1.x",
    "openai2": "openai 2.x",
    "openai3": "openai 3.x",
    "llamaindex": "LlamaIndex",
    "llamaindex-oldest": "oldest LlamaIndex",
}
SECONDS = {"autogen": 40, "lint": 60, "llamaindex": 40, "llamaindex-oldest": 40, "server": 30}


class SetupError(Exception):
    """An environment could not be made; the message says which, why, and what to do."""


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


def server() -> Environment:
    """The environment in which Outtake itself and its tests run."""
    return _checkout("server", ROOT / ".venv", "test")


def lint() -> Environment:
    """The server's environment with the checkers, and with the frameworks that the adapters are checked against."""
    return _checkout("lint", ENVS / "lint", "lint")


def target(name: str) -> Environment:
    """The environment of one framework, from `envs/NAME.txt`."""
    pins = PINS / f"{name}.txt"
    if not pins.is_file():
        raise SetupError(f"there is no target environment {name!r}. Known ones: {', '.join(target_names())}.")
    return Environment(name, ENVS / name, ("-r", str(pins.relative_to(ROOT))), (pins.read_text(),))


def target_names() -> list[str]:
    return sorted(pins.stem for pins in PINS.glob("*.txt"))


def ensure(*environments: Environment) -> None:
    """Make those of the environments that are missing or out of date, side by side."""
    stale = [environment for environment in environments if not environment.is_current()]
    if not stale:
        return
    with ThreadPoolExecutor(max_workers=4) as pool:
        for _ in pool.map(_make, stale):
            pass


def _checkout(name: str, path: Path, extra: str) -> Environment:
    """An environment with this checkout in it. Of pyproject.toml only what an installer reads counts."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packaging = {
        "build-system": pyproject["build-system"],
        "project": pyproject["project"],
        "hatch": pyproject["tool"].get("hatch"),
    }
    sources = (json.dumps(packaging, sort_keys=True), (ROOT / "constraints.txt").read_text())
    return Environment(name, path, ("-c", "constraints.txt", "-e", f".[{extra}]"), sources)


def _make(environment: Environment) -> None:
    title = f"the {TITLES.get(environment.name, environment.name)} environment"
    with _lock(environment):
        if environment.is_current():
            return
        _say(f"installing {title} (about {SECONDS.get(environment.name, 15)} s) ...")
        began = time.monotonic()
        environment.stamp.unlink(missing_ok=True)
        _run(
            [sys.executable, "-m", "venv", "--clear", str(environment.path)],
            title,
            "On Debian and Ubuntu the module is a package of its own: apt-get install python3-venv",
        )
        _run(
            [str(environment.python), "-m", "pip", "install", "--quiet", *environment.requirements],
            title,
            "Is the package index reachable from here? Running the script again starts afresh.",
        )
        environment.stamp.write_text(environment.key)
        _say(f"installed {title} in {time.monotonic() - began:.0f} s")


def _run(command: Sequence[str], title: str, advice: str) -> None:
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"}}
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}
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
def _lock(environment: Environment) -> Iterator[None]:
    """Two scripts that are started at once do not install into the same place."""
    ENVS.mkdir(exist_ok=True)
    with open(ENVS / f".{environment.name}.lock", "w") as file:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say(line: str) -> None:
    """Progress goes to stderr: a script's stdout is its result."""
    sys.stderr.write(f"{line}\n")  # in one piece: several environments may be talking
