"""Running a target, forking a run, and debugging either at a prompt."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outtake.cli import outcome, parsing
from outtake.cli.browser import Beside, UiOption, beside, hint
from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.problems import Problem, exit_code, is_wrong_use
from outtake.cli.prompt import Prompt
from outtake.cli.render_hold import print_hold, ways_out
from outtake.cli.trusting import TrustOption, trusting
from outtake.cli.watch import RunReader, watching

if TYPE_CHECKING:
    from outtake.service import Service

SpecArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SPEC", help="path.py:factory, pkg.module:factory, a script.py with its arguments, or a notebook.ipynb."
    ),
]
ModuleOption = Annotated[
    str | None,
    typer.Option("-m", metavar="MODULE", help="Run a module as `python -m` does; the arguments are its own."),
]
ArgsArgument = Annotated[list[str] | None, typer.Argument(metavar="[ARG]...", help="Arguments of a script.")]
InputOption = Annotated[
    str | None, typer.Option("--input", metavar="TEXT", help="The input: text, or a JSON object or list.")
]
InputFileOption = Annotated[
    str | None, typer.Option("--input-file", metavar="F", help="Read the input from a file; - for standard input.")
]
HeadlessOption = Annotated[
    bool, typer.Option("--headless", help="Nobody watches: return as soon as the run has ended, or is held.")
]
PauseOption = Annotated[bool, typer.Option("--pause", help="Hold at the very first gate.")]
BreakOption = Annotated[
    list[str] | None,
    typer.Option("--break", metavar="COND", help='Hold where this is true: agent:coder, text~"budget", error ...'),
]
PythonOption = Annotated[
    str | None, typer.Option("--python", metavar="PATH", help="The interpreter that the target runs in.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="COMPONENT.KEY=VALUE", help="A setting of a component, from the start."),
]
MockOption = Annotated[
    list[str] | None,
    typer.Option("--mock", metavar="WHAT=JSON", help="Do not execute this, a component or a record's number."),
]
MocksOption = Annotated[
    list[str] | None, typer.Option("--mocks", metavar="FILE", help="Mocks to use, from a file like mocks.json.")
]
ExpectOption = Annotated[
    str | None, typer.Option("--expect", metavar="TEXT", help="The right answer, for the run and its forks.")
]
NameOption = Annotated[str, typer.Option("--name", metavar="TEXT", help="A name to remember the run by.")]


@command("run")
def run(
    front: Front,
    *,
    spec: SpecArgument = None,
    args: ArgsArgument = None,
    module: ModuleOption = None,
    input: InputOption = None,
    input_file: InputFileOption = None,
    headless: HeadlessOption = False,
    pause: PauseOption = False,
    breakpoints: BreakOption = None,
    python: PythonOption = None,
    settings: SetOption = None,
    mock: MockOption = None,
    mocks: MocksOption = None,
    expect: ExpectOption = None,
    name: NameOption = "",
    ui: UiOption = None,
) -> int:
    """Run a target and show what happens; hold it where asked."""
    target, args = _target(spec, args, module)
    value, has_input = parsing.target_input(input, input_file)
    config = parsing.settings(settings or [])
    mocked = parsing.mocks(mock or [], mocks or [], [])
    if mocked.live:
        raise Problem("live is for a fork: in a run that starts, all that is not given by you is executed")
    with front.service() as service, beside(front, service, ui, headless=headless) as pages:
        target, folder = _in_folder(target, has_input=has_input)
        started = service.run(
            target,
            input=value,
            has_input=has_input,
            headless=headless,
            pause=pause,
            breakpoints=breakpoints or [],
            python=interpreter(python),
            config=config,
            edits=mocked.edits,
            folder=folder,
            args=args,
            stdin=_lends_stdin(front, service, input_file),
            env=dict(os.environ),
            name=name,
            expected=expect,
        )
        return conduct(front, service, started["run"], headless=headless, pages=pages)


@command("fork")
def fork(
    front: Front,
    *,
    run: RunArgument,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", help="Keep what lies before this record (default: the edit's).")
    ] = None,
    edits: Annotated[
        list[str] | None, typer.Option("--edit", metavar="JSON", help='A change: {"op", "seq", "value"}, or @FILE.')
    ] = None,
    reuse: Annotated[
        str,
        typer.Option(metavar="HOW", help="matching: serve what is identical; prefix: all after the cut is live; none."),
    ] = "matching",
    live: Annotated[
        list[str] | None,
        typer.Option("--live", metavar="WHAT", help="Execute this in any case: a component, or a record's number."),
    ] = None,
    mock: MockOption = None,
    mocks: MocksOption = None,
    repeat: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Calls that change the world and were made before: ask, serve, run."),
    ] = None,
    serve_failures: Annotated[
        bool, typer.Option("--serve-failures", help="Serve calls that failed, too, instead of trying them again.")
    ] = False,
    headless: HeadlessOption = False,
    pause: PauseOption = False,
    breakpoints: BreakOption = None,
    python: PythonOption = None,
    name: NameOption = "",
    trust: TrustOption = False,
) -> int:
    """Go on from a record of a run in a new one, with changes; what did not change is served from the record."""
    mocked = parsing.mocks(mock or [], mocks or [], live or [])
    changes = [*(parsing.edit(text) for text in edits or []), *mocked.edits]
    if at is None and not mocked.live and not any(_says_where(change) for change in changes):
        raise Problem(
            f"say where to fork {run}: --at SEQ (outtake show {run} has the numbers), an --edit with a seq, a --mock"
        )
    with front.service() as service:
        start = partial(
            service.fork,
            run,
            at=at,
            edits=changes,
            reuse=reuse,
            live=mocked.live,
            repeat=repeat,
            serve_failures=serve_failures,
            headless=headless,
            pause=pause,
            breakpoints=breakpoints or [],
            python=interpreter(python) if python else None,
            stdin=_lends_stdin(front, service, None),
            env=dict(os.environ),
            name=name,
        )
        started = trusting(front, trust, lambda trusted: start(trust=trusted))
        return conduct(front, service, started["run"], headless=headless)


@command("debug")
def debug(
    front: Front,
    *,
    target: Annotated[
        str | None, typer.Argument(metavar="SPEC|RUN", help="A target to start, or a run to look into.")
    ] = None,
    args: ArgsArgument = None,
    module: ModuleOption = None,
    input: InputOption = None,
    input_file: InputFileOption = None,
    breakpoints: BreakOption = None,
    python: PythonOption = None,
    settings: SetOption = None,
) -> int:
    """Step through a run at a prompt, in the manner of pdb; `help` there lists the commands."""
    if front.json:
        raise Problem("debug is a conversation and has no JSON form; scripts use run --pause, pending, step, edit")
    if input_file == "-":
        raise Problem("debug reads its commands from standard input; give the input as --input, or in a file")
    spec, args = _target(target, args, module)
    value, has_input = parsing.target_input(input, input_file)
    with front.service() as service:
        if is_run(spec):
            return _prompted(front, service, spec, own=False)
        started = service.run(
            spec,
            input=value,
            has_input=has_input,
            pause=True,
            breakpoints=breakpoints or [],
            python=interpreter(python),
            config=parsing.settings(settings or []),
            folder=os.getcwd(),
            args=args,
            env=dict(os.environ),
        )
        return _prompted(front, service, started["run"], own=True)


def _target(spec: str | None, args: list[str] | None, module: str | None) -> tuple[str, list[str]]:
    """The spec to run and its arguments: of a module, what looks like a spec is the first argument."""
    if module is not None:
        return f"-m {module}", [*([spec] if spec is not None else []), *(args or [])]
    if spec is None:
        from outtake.service.programs import suggestion  # noqa: PLC0415  as in `Front.service`

        forms = "path.py:factory, pkg.module:factory, script.py, notebook.ipynb or -m pkg.module"
        raise Problem(f"say what to run: {forms}{suggestion(os.getcwd())}")
    return spec, args or []


def _in_folder(spec: str, *, has_input: bool) -> tuple[str, str]:
    """The spec to run and the folder to run it in: who names a folder means its likeliest program."""
    if not os.path.isdir(spec):
        return spec, os.getcwd()
    from outtake.service.programs import likeliest  # noqa: PLC0415  as in `Front.service`

    folder = os.path.abspath(spec)
    return likeliest(folder, has_input=has_input), folder


def _says_where(edit: Mapping[str, Any]) -> bool:
    """Whether an edit names something that was recorded, where the fork can begin."""
    return "seq" in edit or ("component" in edit and edit.get("op") not in ("inject", "set_config"))


def is_run(text: str) -> bool:
    """Whether this names a run, not a target."""
    return text[:1] == "r" and text[1:].isdecimal()


def interpreter(path: str | None) -> str:
    """The interpreter to use, as an absolute path: the owner of the store may be in another folder and environment."""
    from outtake.service.rpc_client import default_python  # noqa: PLC0415  as in `Front.service`

    if path is None:
        return default_python()
    found = os.path.abspath(os.path.expanduser(path))
    if not os.path.exists(found):
        raise Problem(f"there is no interpreter {path}; --python takes the path of one, such as .venv/bin/python")
    return found


def _lends_stdin(front: Front, service: Service, input_file: str | None) -> bool:
    """Whether the program reads what is piped into this command; at a terminal it asks through the debugger."""
    piped = sys.stdin is not None and not sys.stdin.isatty()
    return piped and front.owns(service) and input_file != "-" and not front.interactive


# -- until it ends ---------------------------------------------------------------------------------------------------


def conduct(front: Front, service: Service, run: str, *, headless: bool, pages: Beside | None = None) -> int:
    """Follow a run that was started until it ends or, headless, is held; print how; return the exit code.

    With `pages`, the run is shown there, too, and stays there until the user has enough.
    """
    info = attend(front, service, run, headless=headless, pages=pages)
    if front.json:
        front.document(outcome.run_document(info))
    elif is_wrong_use(info["error"]):
        raise Problem(info["error"]["message"])
    else:
        leaves = front.owns(service) and pages is None
        outcome.print_outcome(front.out, info, reported(service, info), explained(service, info), leaves=leaves)
        if pages is None and not headless and (where := hint(front, service, run)):
            front.out.print(f"browser   {where}", style="dim")
    if pages is not None:
        pages.stay(run)
    return exit_code(info)


def attend(
    front: Front, service: Service, run: str, *, headless: bool, pages: Beside | None = None, quiet: bool = False
) -> Document:
    """Follow a run to its end, asking a person where something is held; returns how it is then.

    `quiet`: its records are not shown, and nobody is asked.
    """
    shown = not (front.json or quiet)
    if shown:
        state = service.info(run)
        front.out.print(f"{run}  {state['spec']}", style="bold")
    if pages is not None:
        pages.show(run)
    watch = watching(front, service, run, shown=shown)
    if shown and front.interactive and not headless and pages is None:
        prompt = Prompt(front, service, watch)
        if prompt.converse() == "quit":
            _stop(service, prompt.run)
        return service.info(prompt.run)
    try:
        _follow(front, service, watch, headless)
    except KeyboardInterrupt:
        front.news(f"stopping {run}")
        if pages is not None:
            pages.leave()
        _stop(service, run)
        watch.catch_up()
    return service.info(run)


def _stop(service: Service, run: str) -> None:
    """End a run that goes on; what this command has started does not outlive it."""
    if service.info(run)["live"]:
        service.control(run, "stop")


def _follow(front: Front, service: Service, watch: RunReader, headless: bool) -> None:
    """Nobody is at a prompt: say what is held and how to answer it from elsewhere, and wait; headless, return."""
    announced: set[int] = set()
    while True:
        watch.until_rest(known=announced, patience=None)
        if watch.ended:
            return
        if headless:
            if any(hold["when"] != "diverged" and not hold.get("others") for hold in watch.held()):
                return
            announced |= {
                hold["hold"] for hold in watch.held()
            }  # the service ends a replay that nobody watches; others go on
            continue
        fresh = [hold for hold in service.pending(watch.run)["held"] if hold["hold"] not in announced]
        announced |= {hold["hold"] for hold in watch.held()} | {hold["hold"] for hold in fresh}
        console = front.err if front.json else front.out
        for hold in fresh:
            print_hold(console, hold)
        if fresh:
            console.print(ways_out(watch.run, fresh), style="dim")


def _prompted(front: Front, service: Service, run: str, *, own: bool) -> int:
    """Talk about a run until the user has enough; a run that was started for this ends with it."""
    prompt = Prompt(front, service, watching(front, service, run, shown=True))
    prompt.converse(until_quit=True)
    if own:
        _stop(service, prompt.run)
    info = service.info(prompt.run)
    if is_wrong_use(info["error"]):
        raise Problem(info["error"]["message"])
    return exit_code(info) if own else 0


def reported(service: Service, info: Document) -> Document | None:
    """The report of a fork, or of a run with mocks; nothing is saved or mocked in another one."""
    return service.report(info["run"]) if info["parent"] or info["mocks"] else None


def explained(service: Service, info: Document) -> Document | None:
    """Why a fork that was changed came out wrong all the same; None where there is nothing to say of that."""
    return service.explain(info["run"]) if info["parent"] and info["edits"] and outcome.is_wrong(info) else None
