"""What the scripts beside this file do, once a Python has been found: `python _tasks.py demo|env|test|... [ARG]...`.

Arguments are passed through to the program that does the work.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import _env
import _ui

CORE_TESTS = ("tests/core", "tests/probe", "tests/test_layers.py")
"""The quick part: pure functions, no target environment."""
BROWSER_TESTS = "tests/browser"
SIDE_BY_SIDE = ("-n", "auto", "--dist", "loadgroup", "--no-loadscope-reorder")
"""One process for each core, see tests/conftest.py."""
UI_CHECKS = ("check", "lint", "test")
"""What scripts of ui/package.json check: types (those of the API are made for that), style, tests."""
UI_FIXES = ("format",)


def demo(args: Sequence[str]) -> NoReturn:
    """The demo of the main job: `outtake demo` on a team that runs in the AutoGen environment."""
    here, autogen = _env.server(), _env.target("autogen")
    _env.ensure(here, autogen, _env.Ui())
    if not shutil.which("outtake"):
        print(f"The command outtake is {os.path.relpath(here.command('outtake'))} here.", file=sys.stderr, flush=True)
    _become([here.command("outtake"), "demo", "--python", autogen.python, *args], cwd=Path.cwd())


def test(args: Sequence[str]) -> NoReturn:
    """The test suite. With `--core`, or when every path named is in the quick part, without the target environments.

    With `--browser`, or when one of them is named, the tests in a browser; nothing else runs those.  The others, as a
    whole, have a process for each core.
    """
    if "--browser" in args or any(arg.startswith(BROWSER_TESTS) for arg in args):
        _browser([arg for arg in args if arg != "--browser"])
    if not any((_env.ROOT / arg.partition("::")[0]).exists() for arg in args):
        args = [*SIDE_BY_SIDE, *args]
    if "--core" in args:
        args = [*(arg for arg in args if arg != "--core"), *CORE_TESTS]
    here = _env.server()
    if _only_core(args):
        _env.ensure(here)
        _become([here.python, "-m", "pytest", *args])
    _env.ensure(here, _env.Ui(), *map(_env.target, _env.target_names()))
    _become([here.python, "-m", "pytest", *args], {"OUTTAKE_ENVS": str(_env.ENVS)})


def _browser(args: Sequence[str]) -> NoReturn:
    """The tests in a browser; the programs that they debug run in the AutoGen environment."""
    here = _env.browser()
    _env.ensure(here, _env.Ui(), _env.target("autogen"))
    named = [] if any(arg.startswith(BROWSER_TESTS) for arg in args) else [BROWSER_TESTS]
    _become([here.python, "-m", "pytest", *args, *named], {"OUTTAKE_ENVS": str(_env.ENVS)})


def lint(args: Sequence[str]) -> int:
    """Format, lint, types, and the unit tests of the user interface; every check runs, and any failure fails.

    With `--fix`, repairs what can be repaired.
    """
    if set(args) - {"--fix"}:
        print(f"usage: scripts/lint [--fix], not {' '.join(args)}", file=sys.stderr)
        return 2
    fix = "--fix" in args
    environment = _env.lint()
    _env.ensure(environment)
    ruff, mypy = environment.command("ruff"), environment.command("mypy")
    checks: list[list[str | Path]] = [
        [ruff, "check", *(["--fix"] if fix else []), "."],
        [ruff, "format", *([] if fix else ["--check"]), "."],
        [mypy],
        [mypy, "--python-version", "3.10", "src/outtake_probe"],
    ]
    checks.append([_env.with_node(), _ui.__file__, "run", *(UI_FIXES if fix else ()), *UI_CHECKS])
    failed = 0
    for check in checks:
        failed += subprocess.run(check, cwd=_env.ROOT, check=False).returncode != 0
    return 1 if failed else 0


def bench(args: Sequence[str]) -> NoReturn:
    """The benchmarks: one JSON document on stdout.  `ui` is the one of the user interface, in a browser."""
    if args[:1] == ["ui"]:
        with_browser = _env.browser()
        _env.ensure(with_browser, _env.Ui())
        _become([with_browser.python, "-m", "benchmarks.ui", *args[1:]])
    here = _env.server()
    _env.ensure(here, *map(_env.target, ("autogen", "llamaindex", "langgraph")))
    _become([here.python, "-m", "benchmarks", *args], {"OUTTAKE_ENVS": str(_env.ENVS)})


def attack(args: Sequence[str]) -> NoReturn:
    """The attacks on Outtake: one line of JSON each on stdout."""
    here = _env.server()
    _env.ensure(here)
    _become([here.python, "-m", "attacks", *args], {"OUTTAKE_ENVS": str(_env.ENVS)})


def compat(args: Sequence[str]) -> NoReturn:
    """Programs and tests of the frameworks' own, plainly and under Outtake: a table of what differs."""
    here, frameworks = _env.server(), _env.compat()
    _env.ensure(here, frameworks)
    _become([here.python, "-m", "compat", "--python", frameworks.python, "--cache", _env.ENVS / "sources", *args])


def screenshots(args: Sequence[str]) -> NoReturn:
    """The pictures of the README, taken of the demo in a browser."""
    here = _env.browser()
    _env.ensure(here, _env.Ui(), _env.target("autogen"))
    folder = args[0] if args else "docs/images"
    _become([here.python, "-m", "tests.browser.pictures", folder], {"OUTTAKE_ENVS": str(_env.ENVS)})


def env(args: Sequence[str]) -> int:
    """Make the environment of a target, and print its interpreter."""
    if len(args) != 1:
        print(f"usage: scripts/env NAME; known: {', '.join(_env.target_names())}", file=sys.stderr)
        return 2
    environment = _env.target(args[0])
    _env.ensure(environment)
    print(environment.python)
    return 0


def _only_core(args: Sequence[str]) -> bool:
    named = [Path(os.path.normpath(arg.partition("::")[0])) for arg in args]
    tests = [path for path in named if path.parts[0] == "tests"]
    return bool(tests) and all(any(path.is_relative_to(core) for core in CORE_TESTS) for path in tests)


def _become(command: Sequence[str | Path], env: dict[str, str] | None = None, cwd: Path = _env.ROOT) -> NoReturn:
    """Turn into the program, so that signals, the terminal and the exit code are its own."""
    program = [str(part) for part in command]
    os.chdir(cwd)
    os.environ.update(env or {})
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        sys.exit(subprocess.run(program, check=False).returncode)
    os.execv(program[0], program)


TASKS: dict[str, Callable[[Sequence[str]], int]] = {
    "attack": attack,
    "bench": bench,
    "compat": compat,
    "demo": demo,
    "env": env,
    "lint": lint,
    "screenshots": screenshots,
    "test": test,
}


def main() -> int:
    try:
        return TASKS[sys.argv[1]](sys.argv[2:])
    except _env.SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
