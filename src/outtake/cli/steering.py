"""Steering a live run from another terminal or a script: what is pending, steps, breakpoints, changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from outtake.cli import outcome, parsing
from outtake.cli.commands import RunArgument, command
from outtake.cli.context import Document, Front
from outtake.cli.problems import Problem, exit_code
from outtake.cli.prompt import changed, raised
from outtake.cli.render_hold import print_breakpoints, print_hold, print_pending

if TYPE_CHECKING:
    from outtake.service import Service

PATIENCE = 10.0
"""Seconds in which a step shows what it led to; after that it is left alone to go on."""
HoldOption = Annotated[int | None, typer.Option("--hold", metavar="N", help="The hold to let go (default: the first).")]
PlaceArgument = Annotated[
    str, typer.Argument(metavar="MESSAGE|hold:N", help="A queued message by its number, or what is held.")
]
ValueArgument = Annotated[str, typer.Argument(metavar="VALUE", help="JSON, or a text, or @FILE.")]


@command("pending")
def pending(front: Front, run: RunArgument) -> None:
    """Show what is about to happen: held invocations, queued messages."""
    with front.service() as service:
        found = service.pending(run)
        if front.json:
            front.document(found)
        else:
            print_pending(front.out, found)


@command("step")
def step(front: Front, run: RunArgument, hold: HoldOption = None) -> None:
    """Let what is held go, and hold at the next gate, also inside it."""
    _steer(front, run, "step", hold)


@command("next")
def next_(front: Front, run: RunArgument, hold: HoldOption = None) -> None:
    """Let what is held run as a whole, and hold at what comes then."""
    _steer(front, run, "next", hold)


@command("out")
def out(front: Front, run: RunArgument, hold: HoldOption = None) -> None:
    """Go on until the invocation that encloses what is held has come back."""
    _steer(front, run, "out", hold)


@command("continue")
def continue_(front: Front, run: RunArgument) -> None:
    """Let everything go on, to the next breakpoint or the end."""
    _steer(front, run, "continue", None)


@command("pause")
def pause(front: Front, run: RunArgument) -> None:
    """Hold the run at its very next gate."""
    _steer(front, run, "pause", None)


@command("stop")
def stop(front: Front, run: RunArgument) -> None:
    """End the program of a run; it can be continued by a fork at its end."""
    _steer(front, run, "stop", None)


@command("until")
def until(
    front: Front, *, run: RunArgument, message: Annotated[int, typer.Argument(metavar="MESSAGE", help="Its number.")]
) -> None:
    """Go on until a queued message is about to be delivered."""
    with front.service() as service:
        service.run_to(run, message)
        _report(front, service, _rest(service, run))


@command("wait")
def wait(
    front: Front,
    *,
    run: RunArgument,
    held: Annotated[bool, typer.Option("--held", help="Also return when something is held.")] = False,
    timeout: Annotated[float | None, typer.Option(metavar="S", help="Give up after so many seconds.")] = None,
) -> int:
    """Wait until a run has ended; the exit code says how."""
    with front.service() as service:
        state = service.wait(run, until=("held",) if held else (), timeout=timeout)
        _report(front, service, state)
        return exit_code(state)


def _steer(front: Front, run: str, verb: str, hold: int | None) -> None:
    with front.service() as service:
        state = service.control(run, verb, hold=hold)
        _report(front, service, _rest(service, run) if verb in ("step", "next", "out") else state)


def _rest(service: Service, run: str) -> Document:
    """How the run stands when it rests again."""
    return service.wait(run, until=("held",), timeout=PATIENCE)


def _report(front: Front, service: Service, state: Document) -> None:
    """How the run stands."""
    run = state["run"]
    if front.json:
        front.document({**outcome.run_document(state), "held": state.get("held", [])})
    elif not state["live"]:
        outcome.print_outcome(front.out, state)
    elif state["status"] == "held":
        for held in service.pending(run)["held"]:
            print_hold(front.out, held)
    else:
        front.out.print(f"{run} is {state['status']}")


# -- breakpoints -----------------------------------------------------------------------------------------------------


@command("break")
def break_(
    front: Front,
    *,
    run: RunArgument,
    condition: Annotated[
        str | None, typer.Argument(metavar="COND", help='agent:coder, tool:*, text~"budget", error, tokens>5000 ...')
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the breakpoints.")] = False,
    remove: Annotated[int | None, typer.Option(metavar="N", help="Remove one.")] = None,
    disable: Annotated[int | None, typer.Option(metavar="N", help="Switch one off.")] = None,
    enable: Annotated[int | None, typer.Option(metavar="N", help="Switch one on.")] = None,
) -> None:
    """Hold a live run where a condition is true."""
    asked = [listed, condition is not None, remove is not None, disable is not None, enable is not None]
    if sum(asked) > 1:
        raise Problem("break does one thing at a time: a condition, or one of --list, --remove, --disable, --enable")
    with front.service() as service:
        if condition is not None:
            told = service.add_breakpoint(run, condition)
        elif remove is not None:
            told = service.change_breakpoint(run, remove, remove=True)
        elif disable is not None:
            told = service.change_breakpoint(run, disable, enabled=False)
        elif enable is not None:
            told = service.change_breakpoint(run, enable, enabled=True)
        else:
            told = service.breakpoints(run)
        if front.json:
            front.document(told)
        else:
            print_breakpoints(front.out, told["breakpoints"])


# -- changes ---------------------------------------------------------------------------------------------------------


@command("edit")
def edit(
    front: Front,
    *,
    run: RunArgument,
    place: PlaceArgument,
    value: Annotated[
        str | None,
        typer.Argument(metavar="VALUE", help="The new message or input, or the new result of what has come back."),
    ] = None,
    output: Annotated[
        str | None, typer.Option(metavar="VALUE", help="Do not run what is held: this is its output.")
    ] = None,
    error: Annotated[
        str | None, typer.Option("--raise", metavar="TEXT", help="Do not run what is held: this is its error.")
    ] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Do not run it again: serve its recorded result.")
    ] = False,
    skip: Annotated[
        bool, typer.Option("--skip", help="Leave the state outside as it is that would be restored before it.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Hold it still: what is set is given when it is let go, as by a step.")
    ] = False,
) -> None:
    """Change a queued message, or answer what is held with another input, output or error."""
    if sum((value is not None, output is not None, error is not None, recorded, skip)) != 1:
        raise Problem("say what it becomes: VALUE, or --output VALUE, or --raise TEXT, or --recorded, or --skip")
    kind, number = parsing.place(place)
    with front.service() as service:
        if kind == "message":
            if value is None:
                raise Problem(f"{place} is a message and takes a VALUE; the options are for hold:N")
            _done(front, service.edit(run, number, parsing.value(value)))
            return
        hold = _hold(service, run, number)
        answer = {"verb": "skip"} if skip else _answer(hold, value, output, error)
        if keep:
            service.set_answer(run, hold=number, answer=answer)
        else:
            service.release(run, hold=number, answer=answer)
        _report(front, service, _rest(service, run))


def _answer(hold: Document, value: str | None, output: str | None, error: str | None) -> Document:
    if value is not None:
        return changed(hold, parsing.value(value))
    if output is not None:
        return {"verb": "serve", "value": parsing.value(output)}
    return raised(error) if error is not None else {"verb": "record"}


def _hold(service: Service, run: str, number: int) -> Document:
    held = service.pending(run)["held"]
    for hold in held:
        if hold["hold"] == number:
            found: Document = hold
            return found
    known = ", ".join(f"hold:{hold['hold']}" for hold in held) or "nothing"
    raise Problem(f"{run} has no hold {number}; held: {known}", "not_found")


@command("drop")
def drop(front: Front, run: RunArgument, place: PlaceArgument) -> None:
    """Take a message out of the queue, or leave a held call out."""
    kind, number = parsing.place(place)
    with front.service() as service:
        if kind == "message":
            _done(front, service.drop(run, number))
            return
        service.release(run, hold=number, answer={"verb": "drop"})
        _report(front, service, _rest(service, run))


@command("move")
def move(
    front: Front,
    *,
    run: RunArgument,
    message: Annotated[int, typer.Argument(metavar="MESSAGE", help="Its number.")],
    before: Annotated[
        int | None, typer.Option(metavar="MESSAGE", help="Put it before this one (default: last).")
    ] = None,
) -> None:
    """Give a queued message another place in the queue."""
    with front.service() as service:
        _done(front, service.move(run, message, before=before))


@command("send")
def send(
    front: Front,
    *,
    run: RunArgument,
    component: Annotated[str, typer.Argument(metavar="COMPONENT", help="A component's path, or topic:NAME.")],
    value: ValueArgument,
    type: Annotated[str, typer.Option("--type", metavar="T", help="The type of the message.")] = "",
) -> None:
    """Queue a new message for a component."""
    with front.service() as service:
        _done(front, service.send(run, component, parsing.value(value), type=type))


@command("set")
def set_(
    front: Front,
    *,
    run: RunArgument,
    setting: Annotated[str, typer.Argument(metavar="COMPONENT.KEY=VALUE", help="E.g. team/coder.temperature=0.2")],
) -> None:
    """Change a setting of a component, from now on."""
    ((name, value),) = parsing.settings([setting]).items()
    component, _, key = name.rpartition(".")
    with front.service() as service:
        _done(front, service.configure(run, component, key, value))


def _done(front: Front, told: dict[str, Any]) -> None:
    """A command was obeyed; it is a record of the run now."""
    if front.json:
        front.document(told)
    else:
        front.out.print(f"done: record {told['seq']} of {told['run']}")
