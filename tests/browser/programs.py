"""Programs that the tests in a browser debug: a team in AutoGen, and small ones in plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import outtake.demo
from tests.browser.ground import Document, Served

DEMO = Path(outtake.demo.__file__).parent
QUESTION = "How many at bats did the Yankee with the most walks in the 1977 regular season have that same season?"
REMEDY = "Sort the table by walks and give at bats of the first row."

WRITERS = '''
"""A flow that writes about cities; its model is a function that stands for a real one."""

import asyncio

import outtake


@outtake.tool(effects="read")
async def look(city):
    return f"# {city}\\n\\n- letters: **{len(city)}**\\n- backwards: `{city[::-1]}`"


@outtake.model
async def complete(prompt):
    await asyncio.sleep(0)
    return f"{prompt} is worth a visit."


@outtake.agent
async def writer(city):
    facts = await look(city)
    return await complete(f"{city} ({facts.count('*')} marks)")


@outtake.tool(effects="irreversible")
def publish(text):
    if text.startswith("Rome"):
        raise ValueError("Rome was published already")
    return f"published: {text}"


async def main(cities="Oslo Paris"):
    said = []
    for city in cities.split():
        print("on to", city)
        said.append(publish(await writer(city)))
    return "; ".join(said)


async def forever(cities="Oslo"):
    """Does not end before somebody ends it."""
    for turn in range(100_000):
        await writer(f"city{turn}")
        await asyncio.sleep(0.01)
'''


@pytest.fixture
def writers(served: Served) -> str:
    """The spec of a flow in plain Python; `writers.py:forever` is one that does not end."""
    return served.write("writers.py", WRITERS) + ":main"


@pytest.fixture(scope="session")
def autogen() -> str:
    """An interpreter that has AutoGen: the one that the test script built, or the one that runs this."""
    envs = os.environ.get("OUTTAKE_ENVS", "")
    built = Path(envs, "autogen", "bin", "python")
    python = str(built) if envs and built.exists() else sys.executable
    done = subprocess.run([python, "-c", "import autogen_agentchat"], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("no interpreter with AutoGen here; scripts/test builds one")
    return python


@pytest.fixture
def team(autogen: str) -> dict[str, str]:
    """How a run of the demo's team is asked for."""
    return {
        "spec": "team.py:get_team",
        "folder": str(DEMO),
        "python": autogen,
        "input": QUESTION,
        "expected": "519",
        "name": "demo",
    }


@pytest.fixture
def wrong(served: Served, team: dict[str, str]) -> Document:
    """A run of the demo's team that has ended with the wrong answer."""
    run = served.run(**team)
    told = served.ended(run)
    assert "525" in told["output"]["answer"]
    return told
