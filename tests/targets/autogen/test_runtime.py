"""Our runtime where AutoGen's own hangs, loses messages or raises errors of its own making."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import weakref
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("autogen_core")

from autogen_core import (
    AgentId,
    CancellationToken,
    DefaultInterventionHandler,
    DropMessage,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.exceptions import MessageDroppedException
from opentelemetry import trace

from tests.targets.autogen.debugging import of_coroutine, record, session

HEARD: list[str] = []


@dataclass
class Say:
    text: str


class Listener(RoutedAgent):
    def __init__(self) -> None:
        super().__init__("listens")

    @message_handler
    async def hear(self, message: Say, ctx: MessageContext) -> Say:
        HEARD.append(f"{self.id.key}:{message.text}")
        if message.text.startswith("fail"):
            raise KeyError(message.text)
        if message.text == "wait":
            await WAIT.wait()
        return Say(message.text.upper())


WAIT = asyncio.Event()
TOPIC = TopicId("news", "default")


async def made(**options: Any) -> Any:
    """A runtime with a listener, as a script makes it."""
    from autogen_core import SingleThreadedAgentRuntime  # noqa: PLC0415

    HEARD.clear()
    runtime = SingleThreadedAgentRuntime(**options)
    await Listener.register(runtime, "listener", Listener)
    await runtime.add_subscription(TypeSubscription("news", "listener"))
    return runtime


async def heard() -> None:
    """Let the loop turn until something was heard: the handler under test knows of no event."""
    while not HEARD:  # noqa: ASYNC110
        await asyncio.sleep(0)


def run(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run it under the debugger; a hang is an error."""
    log = record(of_coroutine(lambda: asyncio.wait_for(make(), 20)))
    assert log.status == "completed", log.output
    return log


class Meddler(DefaultInterventionHandler):
    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        if message.text == "drop":
            return DropMessage
        if message.text == "break":
            raise ZeroDivisionError("meddled")
        return Say(message.text + "!")

    async def on_send(self, message: Any, *, message_context: MessageContext, recipient: AgentId) -> Any:
        return DropMessage() if message.text == "drop" else message

    async def on_response(self, message: Any, *, sender: AgentId, recipient: AgentId | None) -> Any:
        return DropMessage if message.text == "SECRET" else message


def test_what_an_intervention_handler_drops_or_breaks_hangs_nobody() -> None:
    async def main() -> None:
        runtime = await made(intervention_handlers=[Meddler()])
        runtime.start()
        await runtime.publish_message(Say("one"), TOPIC)
        await runtime.publish_message(Say("drop"), TOPIC)
        with pytest.raises(ZeroDivisionError, match="meddled"):
            await runtime.publish_message(Say("break"), TOPIC)
        await runtime.publish_message(Say("two"), TOPIC)
        for text in ("drop", "secret"):
            with pytest.raises(MessageDroppedException):
                await runtime.send_message(Say(text), AgentId("listener", "default"))
        await runtime.stop_when_idle()
        assert HEARD == ["default:one!", "default:two!", "default:secret"]

    run(main)


def test_an_error_of_a_handler_is_raised_once_and_loses_no_message() -> None:
    async def main() -> None:
        runtime = await made(ignore_unhandled_exceptions=False)
        runtime.start()
        for text in ("one", "fail", "two", "fail again", "three"):
            await runtime.publish_message(Say(text), TOPIC)
        with pytest.raises(KeyError, match="fail"):
            await runtime.stop_when_idle()
        assert len(HEARD) == 5
        runtime.start()
        await runtime.publish_message(Say("four"), TOPIC)
        await runtime.stop_when_idle()
        assert HEARD[-1] == "default:four"

    run(main)


def test_the_caller_gets_the_error_that_was_raised() -> None:
    async def main() -> None:
        runtime = await made()
        runtime.start()
        with pytest.raises(KeyError, match="fail"):
            await runtime.send_message(Say("fail"), AgentId("listener", "default"))
        with pytest.raises(LookupError, match="nobody"):
            await runtime.send_message(Say("x"), AgentId("nobody", "default"))
        assert (await runtime.send_message(Say("x"), AgentId("listener", "k"))).text == "X"
        await runtime.stop_when_idle()

    log = run(main)
    failed = next(r for r in log.records if r.kind == "invocation_ended" and r.failed)
    error = log.body(failed.body)
    assert error["class"] == "builtins:KeyError"
    assert any(frame["function"] == "hear" for frame in error["frames"])


def test_stop_with_handlers_in_flight_discards_the_rest_and_says_so() -> None:
    async def main() -> None:
        global WAIT  # noqa: PLW0603  an event belongs to a loop
        WAIT = asyncio.Event()
        runtime = await made()
        runtime.start()
        waiting = asyncio.ensure_future(runtime.send_message(Say("wait"), AgentId("listener", "a")))
        await heard()
        await runtime.publish_message(Say("lost"), TOPIC)
        await runtime.stop()
        WAIT.set()
        assert (await waiting).text == "WAIT"
        runtime.start()
        assert (await runtime.send_message(Say("new"), AgentId("listener", "a"))).text == "NEW"
        await runtime.stop_when_idle()

    log = run(main)
    assert [log.body(r.body)["because"] for r in log.records if r.kind == "noted"] == ["the runtime was stopped"]


def test_messages_can_be_delivered_by_hand() -> None:
    async def main() -> None:
        runtime = await made(ignore_unhandled_exceptions=False)
        for text in ("one", "fail", "two"):
            await runtime.publish_message(Say(text), TOPIC)
        assert runtime.unprocessed_messages_count == 3
        await runtime.process_next()
        assert (HEARD, runtime.unprocessed_messages_count) == (["default:one"], 2)
        await runtime.process_next()
        with pytest.raises(KeyError):
            await runtime.process_next()
        assert runtime.unprocessed_messages_count == 1
        await runtime.process_next()
        assert HEARD[-1] == "default:two"

    run(main)


async def by_hand() -> list[Any]:
    """What is counted and heard where every entry of the queue is asked for."""
    runtime = await made()
    await Listener.register(runtime, "other", Listener)
    await runtime.add_subscription(TypeSubscription("news", "other"))
    counts = []

    async def next_one() -> None:
        counts.append(runtime.unprocessed_messages_count)
        await asyncio.wait_for(runtime.process_next(), 5)
        await asyncio.sleep(0.01)  # in a handler there is time that no event tells of
        counts.append(runtime.unprocessed_messages_count)

    asked = asyncio.create_task(runtime.send_message(Say("one"), AgentId("listener", "a")))
    await asyncio.sleep(0)
    await next_one()  # the message
    await next_one()  # its answer
    answer = await asked
    await runtime.publish_message(Say("two"), TOPIC)
    await next_one()  # to both
    await runtime.publish_message(Say("three"), TopicId("nobody", "default"))
    await next_one()
    slow = asyncio.create_task(runtime.send_message(Say("wait"), AgentId("listener", "b")))
    await asyncio.sleep(0)
    await next_one()
    asyncio.get_running_loop().call_soon(WAIT.set)
    await asyncio.wait_for(runtime.process_next(), 5)  # its answer, once there is one
    return [answer.text, (await slow).text, counts, HEARD]


def test_who_delivers_by_hand_asks_for_as_much_as_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "WAIT", asyncio.Event())  # an event belongs to the loop that first waits for it
    plain = asyncio.run(by_hand())
    monkeypatch.setitem(globals(), "WAIT", asyncio.Event())
    assert run(by_hand).output == plain
    assert plain[:3] == ["ONE", "WAIT", [1, 1, 1, 0, 1, 0, 1, 0, 1, 0]]


@dataclass
class Slow(RoutedAgent):
    """Waits for something that its caller's token cancels."""

    cancelled: bool = False

    def __post_init__(self) -> None:
        super().__init__("slow")

    @message_handler
    async def hear(self, message: Say, ctx: MessageContext) -> Say:
        waiting = asyncio.ensure_future(asyncio.sleep(100))
        ctx.cancellation_token.link_future(waiting)
        try:
            await waiting
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return message


def test_a_token_that_is_cancelled_right_after_a_delivery_reaches_the_handler() -> None:
    async def main() -> bool:
        runtime, token = await made(), CancellationToken()
        await Slow.register(runtime, "slow", Slow)
        who = AgentId("slow", "default")
        asked = asyncio.create_task(runtime.send_message(Say("one"), who, cancellation_token=token))
        while not runtime.unprocessed_messages_count:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0)
        await runtime.process_next()
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        agent: Slow = await runtime.try_get_underlying_agent_instance(who, Slow)
        return agent.cancelled

    assert asyncio.run(main())
    assert run(main).output


class Timing(RoutedAgent):
    """Starts what outlives its answer."""

    @message_handler
    async def hear(self, message: Say, ctx: MessageContext) -> Say:
        TIMERS.append(asyncio.get_running_loop().call_later(3600, str))
        return message


TIMERS: list[asyncio.TimerHandle] = []


def test_a_runtime_lives_as_long_as_the_program_keeps_it() -> None:
    async def one() -> list[weakref.ref[Any]]:
        runtime = await made()
        await Timing.register(runtime, "timing", lambda: Timing("sets a timer"))
        runtime.start()
        await runtime.send_message(Say("one"), AgentId("timing", "a"))
        await runtime.stop_when_idle()
        agent = await runtime.try_get_underlying_agent_instance(AgentId("timing", "a"), Timing)
        return [weakref.ref(runtime), weakref.ref(agent)]

    async def main() -> list[bool]:
        kept = [*await one(), *await one()]
        await asyncio.sleep(0.01)  # the last tasks of the runtimes come to their end
        gc.collect()
        gone = [found() is None for found in kept]
        while TIMERS:
            TIMERS.pop().cancel()
        return gone

    assert run(main).output == asyncio.run(main()) == [True] * 4


def test_an_agent_that_cannot_be_made_is_in_the_log_once(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        runtime = await made()
        await runtime.register_factory("broken", lambda: int("broken"))
        await runtime.add_subscription(TypeSubscription("bad.news", "broken"))
        runtime.start()
        await runtime.publish_message(Say("one"), TopicId("bad.news", "default"))
        await runtime.stop_when_idle()

    def logged(execute: Callable[[], object]) -> list[str]:
        caplog.clear()
        with caplog.at_level(logging.ERROR):
            execute()
        return [f"{each.name}: {each.getMessage()}" for each in caplog.records if each.name.startswith("autogen_core")]

    plain = logged(lambda: asyncio.run(main()))
    assert plain == ["autogen_core: Error constructing agent broken/default"]
    assert logged(lambda: run(main)) == plain


def test_a_handler_that_waits_for_itself_by_another_key_blocks_nobody() -> None:
    async def main() -> None:
        global WAIT  # noqa: PLW0603  an event belongs to a loop
        WAIT = asyncio.Event()
        runtime = await made()
        runtime.start()
        waiting = asyncio.ensure_future(runtime.send_message(Say("wait"), AgentId("listener", "a")))
        assert (await runtime.send_message(Say("x"), AgentId("listener", "b"))).text == "X"
        assert (await runtime.send_message(Say("y"), AgentId("listener", "a"))).text == "Y"
        WAIT.set()
        await waiting
        await runtime.stop_when_idle()

    run(main)


def test_state_is_saved_and_loaded_by_agent() -> None:
    class Counter(Listener):
        count = 0

        async def save_state(self) -> dict[str, int]:
            return {"count": self.count}

        async def load_state(self, state: Any) -> None:
            self.count = state["count"]

    async def main() -> None:
        runtime = await made()
        await Counter.register(runtime, "counter", Counter)
        agent = await runtime.get("counter", lazy=False)
        await runtime.load_state({"counter/default": {"count": 3}, "unknown/x": {}})
        assert await runtime.save_state() == {"counter/default": {"count": 3}}
        assert (await runtime.try_get_underlying_agent_instance(agent, Counter)).count == 3
        with pytest.raises(TypeError):
            await runtime.try_get_underlying_agent_instance(agent, RoutedAgent.__subclasses__()[0])
        with pytest.raises(ValueError, match="already exists"):
            await Counter.register(runtime, "counter", Counter)
        await runtime.close()

    run(main)


def test_a_message_that_nobody_hears_is_noted() -> None:
    async def main() -> None:
        runtime = await made()
        runtime.start()
        await runtime.publish_message(Say("hello?"), TopicId("void", "default"))
        await runtime.stop_when_idle()

    log = run(main)
    (noted,) = [r for r in log.records if r.kind == "noted"]
    assert log.body(noted.body) == {"topic": "void", "message": {"text": "hello?"}}


def test_a_user_who_stops_the_program_ends_every_handler() -> None:
    async def main() -> None:
        global WAIT  # noqa: PLW0603  an event belongs to a loop
        WAIT = asyncio.Event()
        runtime = await made()
        runtime.start()
        waiting = asyncio.ensure_future(runtime.send_message(Say("wait"), AgentId("listener", "a")))
        await heard()
        session().stop()
        await runtime.send_message(Say("never"), AgentId("listener", "b"))
        await waiting

    log = record(of_coroutine(main))
    assert log.status == "stopped"
    assert HEARD == ["a:wait"]


# -- what the program sees of it: its log, its tracer, its own exceptions ----------------------------------------------


class Halt(BaseException):
    """A program's own way to leave a handler."""


class Quitter(RoutedAgent):
    def __init__(self) -> None:
        super().__init__("quits")

    @message_handler
    async def hear(self, message: Say, ctx: MessageContext) -> None:
        raise Halt(message.text)


class Span(trace.NonRecordingSpan):
    """Tells when it ends."""

    def __init__(self, name: str, told: list[str], within: str) -> None:
        super().__init__(trace.SpanContext(len(told) + 1, len(told) + 1, is_remote=False))
        self.name, self._told = name, told
        told.append(f"{name} in {within}")

    def end(self, end_time: int | None = None) -> None:
        self._told.append(f"end of {self.name}")


class Tracer(trace.Tracer):
    """Keeps what it is told, in the order in which it is."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def start_span(self, name: str, context: Any = None, *args: Any, **kwargs: Any) -> trace.Span:
        within = trace.get_current_span(context)
        return Span(name, self.told, within.name if isinstance(within, Span) else "nothing")

    @contextlib.contextmanager
    def start_as_current_span(  # type: ignore[override]  # a context manager, as its own is
        self, name: str, context: Any = None, *args: Any, **kwargs: Any
    ) -> Iterator[trace.Span]:
        end_on_exit = args[-1] if args else kwargs.get("end_on_exit", True)
        with trace.use_span(self.start_span(name, context), end_on_exit=end_on_exit) as span:
            yield span


class Provider(trace.TracerProvider):
    def __init__(self) -> None:
        self.tracer = Tracer()

    def get_tracer(self, *args: Any, **kwargs: Any) -> trace.Tracer:
        return self.tracer


async def talk(provider: Provider) -> list[str]:
    """A request, one that fails, and something published; gives what became of them."""
    runtime = await made(tracer_provider=provider)
    await Quitter.register(runtime, "quitter", Quitter)
    runtime.start()
    got = []
    for to, text in (("listener", "one"), ("listener", "fail"), ("quitter", "enough")):
        try:
            got.append((await runtime.send_message(Say(text), AgentId(to, "default"))).text)
        except (KeyError, Halt) as error:
            got.append(repr(error))
    await runtime.publish_message(Say("news"), TOPIC)
    await runtime.stop_when_idle()
    return got


def seen(run_it: Callable[[Callable[[], Any]], Any], caplog: pytest.LogCaptureFixture) -> tuple[Any, Any, Any]:
    """What the program gets, its log, and its spans."""
    provider = Provider()
    caplog.clear()
    with caplog.at_level(logging.INFO):
        got = run_it(lambda: asyncio.wait_for(talk(provider), 20))
    logged = [
        f"{each.name}: {json.loads(str(each.msg))['type'] if each.name.endswith('events') else each.getMessage()}"
        for each in caplog.records
        if each.name.startswith("autogen_core")
    ]
    return got, sorted(logged), sorted(provider.tracer.told)


def test_its_log_its_spans_and_its_own_exceptions_are_the_program_s(caplog: pytest.LogCaptureFixture) -> None:
    plain = seen(lambda talking: asyncio.run(talking()), caplog)
    hooked = seen(lambda talking: record(of_coroutine(talking)).output, caplog)
    assert hooked[0] == plain[0] == ["ONE", "KeyError('fail')", "Halt('enough')"]
    assert hooked[1] == plain[1]
    assert hooked[2] == plain[2]
    assert any(told.startswith("end of") for told in plain[2])


def test_a_private_name_that_programs_use_is_there() -> None:
    async def main() -> list[str]:
        runtime = await made()
        await runtime.publish_message(Say("by hand"), TOPIC)
        await runtime._process_next()
        await heard()
        return HEARD

    assert run(main).output == ["default:by hand"]


def test_it_has_the_name_of_what_it_stands_for() -> None:
    plain = repr(SingleThreadedAgentRuntime)

    async def main() -> str:
        return repr(type(await made()))

    assert run(main).output == plain
