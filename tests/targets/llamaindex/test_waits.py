"""Workflows that wait: for the program, which answers when it likes, and for time; nobody is asked meanwhile."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("workflows")

from workflows import Context, Workflow, step
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent
from workflows.retry_policy import ConstantDelayRetryPolicy

from outtake_probe.attached import active
from outtake_probe.gate.decision import Stance
from outtake_probe.records import Json, MessageQueued
from tests.probe.inprocess import Log
from tests.targets.llamaindex.debugging import User, debug, record

LATER = 0.25
"""Seconds after which a program answers: longer than it takes to see that a workflow waits."""


class Asks(InputRequiredEvent):
    question: str


class Paid(HumanResponseEvent):
    text: str


class Told(Event):
    text: str


class ForPerson(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        got = await ctx.wait_for_event(Paid, waiter_event=Asks(question="?"))
        return StopEvent(result=got.text)


class ForEvent(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        return StopEvent(result=(await ctx.wait_for_event(Told)).text)


class ForTime(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        try:
            await ctx.wait_for_event(Told, timeout=LATER)
        except TimeoutError:
            return StopEvent(result="too late")
        return StopEvent()


class Retries(Workflow):
    """Fails once; sends to another workflow when it has not."""

    def __init__(self, other: Any = None) -> None:
        super().__init__(timeout=30)
        self.other = other
        self.failed = False

    @step(retry_policy=ConstantDelayRetryPolicy(delay=LATER, maximum_attempts=3))
    async def only(self, ev: StartEvent) -> StopEvent:
        if not self.failed:
            self.failed = True
            raise ValueError("not yet")
        if self.other is not None:
            self.other.ctx.send_event(Paid(text="sent"))
        return StopEvent(result="retried")


Send = Callable[[], None]


async def from_task(handler: Any, send: Send) -> Any:
    async def hook() -> None:
        await asyncio.sleep(LATER)
        send()

    task = asyncio.create_task(hook())
    got = await handler
    await task
    return got


async def from_timer(handler: Any, send: Send) -> Any:
    asyncio.get_running_loop().call_later(LATER, send)
    return await handler


async def from_thread(handler: Any, send: Send) -> Any:
    loop = asyncio.get_running_loop()
    timer = threading.Timer(LATER, lambda: loop.call_soon_threadsafe(send))
    timer.start()
    return await handler


async def from_server(handler: Any, send: Send) -> Any:
    def on_call(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        send()
        writer.close()

    server = await asyncio.start_server(on_call, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    caller = await asyncio.create_subprocess_exec(
        "python3", "-c", f"import socket, time; time.sleep({LATER}); socket.create_connection(('127.0.0.1', {port}))"
    )
    async with server:
        got = await handler
    await caller.wait()
    return got


async def from_consumer(handler: Any, send: Send) -> Any:
    async for event in handler.stream_events():
        if isinstance(event, Asks):
            await asyncio.sleep(LATER)
            send()
    return await handler


def at_once(handler: Any, send: Send) -> Awaitable[Any]:
    send()
    return handler  # type: ignore[no-any-return]


ANSWERED = [
    *((ForPerson, Paid, how) for how in (at_once, from_task, from_timer, from_thread, from_server, from_consumer)),
    *((ForEvent, Told, how) for how in (at_once, from_task, from_timer, from_thread, from_server)),
]


def _undisturbed(program: Callable[[], Any]) -> Log:
    """Run it: nothing that only a person could end is held."""
    log = record(program)
    assert log.status == "completed", log.output
    final = [fields for kind, fields in log.told if kind == "held" and not fields.get("others")]
    assert not final
    return log


@pytest.mark.parametrize(("workflow", "event", "how"), ANSWERED, ids=lambda value: value.__name__)
def test_what_the_program_answers_itself_is_asked_of_nobody(
    workflow: type[Workflow], event: Any, how: Callable[[Any, Send], Awaitable[Any]]
) -> None:
    async def program() -> Json:
        handler = workflow(timeout=30).run()
        return str(await how(handler, lambda: handler.ctx.send_event(event(text="paid"))))

    log = _undisturbed(program)
    assert "paid" in log.output
    for cut in (len(log.records) // 2, len(log.records)):
        fork = record(program, parent=log, cut=cut)
        assert (fork.status, fork.output) == ("completed", log.output)


def test_waiting_for_time_is_waiting_for_nobody() -> None:
    async def program() -> Json:
        return [await ForTime(timeout=30).run(), await Retries().run()]

    log = _undisturbed(program)
    assert log.output == ["too late", "retried"]
    assert not [fields for kind, fields in log.told if kind == "held"]


def test_while_one_workflow_waits_time_goes_on_for_the_others() -> None:
    async def program() -> Json:
        waits = ForPerson(timeout=30).run()
        return await asyncio.gather(waits, Retries(waits).run())

    assert _undisturbed(program).output == ["sent", "retried"]


def test_a_person_may_answer_what_the_program_would_answer_later() -> None:
    """Here, the thread of the person is the part of the program that may act."""

    async def program() -> Json:
        return await ForPerson(timeout=30).run()

    def script(user: User) -> None:
        held = user.next()
        assert held is not None and held["others"] and "Paid" in held["reason"]
        assert not user.session.standstill.now
        user.command("send", component="ForPerson", type="Paid", value={"text": "typed"})

    assert debug(program, script, stance=Stance()).output == "typed"


class Times(Workflow):
    """Starts what outlives it."""

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        TIMERS.append(asyncio.get_running_loop().call_later(3600, str))
        return StopEvent(result="done")


class Sends(Workflow):
    """A step leaves a task behind that sends an event when the step has come back."""

    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Told | None:
        async def later() -> None:
            await asyncio.sleep(0.02)
            ctx.send_event(Told(text="late"))

        TASKS.append(asyncio.create_task(later()))
        return None

    @step
    async def end(self, ev: Told) -> StopEvent:
        return StopEvent(result=ev.text)


TIMERS: list[asyncio.TimerHandle] = []
TASKS: list[asyncio.Task[None]] = []


def test_what_a_step_sends_after_it_came_back_is_its_message() -> None:
    async def program() -> Json:
        return await Sends().run()

    log = record(program)
    assert (log.status, log.output) == ("completed", "late"), log.output
    sent = [r for r in log.records if isinstance(r, MessageQueued)]
    assert [(r.component, r.recipient) for r in sent] == [("Sends/begin", "Sends/end")]
    begun = next(r.seq for r in log.records if r.kind == "invocation_ended" and r.component == "Sends/begin")
    assert begun < sent[0].seq


@pytest.mark.parametrize("kind", [Retries, Times])
def test_workflows_live_as_long_as_the_program_keeps_them(kind: type[Workflow]) -> None:
    gone: list[weakref.ref[Any]] = []

    async def program() -> Json:
        for _ in range(2):
            workflow = kind()
            await workflow.run()
            gone.append(weakref.ref(workflow))
            del workflow
        await asyncio.sleep(0)
        gc.collect()
        freed = [found() is None for found in gone]
        while TIMERS:
            TIMERS.pop().cancel()
        session = active()
        assert session is not None and session.target is not None
        return [freed, session.target.describe()]

    log = record(program)
    assert log.status == "completed", log.output
    gone_by_then, described = log.output
    assert gone_by_then == [True, True]
    assert {kind.__name__, f"{kind.__name__}/only"} <= {component["path"] for component in described["components"]}
