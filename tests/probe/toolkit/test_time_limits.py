"""Time limits do not run while something is held."""

from __future__ import annotations

import asyncio

import pytest

from outtake_probe.targets.toolkit.time_limits import ModuleView, without_holds


class Held:
    """Seconds for which something was held, as a test says."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_view_replaces_only_what_it_is_given() -> None:
    view = ModuleView(asyncio, sleep="mine")
    assert view.sleep == "mine"
    assert view.gather is asyncio.gather


def test_what_is_not_done_in_time_is_taken_back() -> None:
    async def program() -> bool:
        never = asyncio.get_running_loop().create_future()
        with pytest.raises(asyncio.TimeoutError):
            await without_holds(Held()).wait_for(never, 0.0)
        return never.cancelled()

    assert asyncio.run(program())


def test_a_limit_goes_on_by_what_was_held_meanwhile() -> None:
    held = Held()

    async def program() -> str:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def release() -> None:
            held.seconds += 60.0
            asyncio.get_running_loop().call_soon(asyncio.get_running_loop().call_soon, answer.set_result, "late")

        asyncio.get_running_loop().call_soon(release)
        return str(await without_holds(held).wait_for(answer, 0.001))

    assert asyncio.run(program()) == "late"


def test_the_clock_of_the_loop_stands_still() -> None:
    held = Held()

    async def program() -> float:
        loop = without_holds(held).get_running_loop()
        before = loop.time()
        held.seconds += 60.0
        return float(loop.time() - before)

    assert asyncio.run(program()) < -1.0
