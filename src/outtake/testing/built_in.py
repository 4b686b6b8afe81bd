"""The kits of the targets that come with Outtake, and the interpreters to run them with."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

from outtake.testing.kit import Kit
from outtake.testing.kits import (
    anthropic,
    autogen,
    coroutines,
    langgraph,
    llamaindex,
    openai,
    openai_agents,
    plain,
    pydantic_ai,
)

ENVIRONMENTS = "OUTTAKE_ENVS"
"""Variable with the folder of environments, one for each framework: ``$OUTTAKE_ENVS/autogen/bin/python``."""

kits: tuple[Kit, ...] = (
    plain.KIT,
    coroutines.KIT,
    openai.KIT,
    anthropic.KIT,
    autogen.KIT,
    langgraph.KIT,
    langgraph.SYNC,
    langgraph.OLDEST,
    llamaindex.KIT,
    llamaindex.SYNC,
    llamaindex.OLDEST,
    openai_agents.KIT,
    openai_agents.OLDEST,
    pydantic_ai.KIT,
    pydantic_ai.SYNC,
    pydantic_ai.OLDEST,
)


class NoEnvironment(Exception):
    """The interpreter of a kit is not there; the message says where it is looked for."""


def placed(kit: Kit) -> Kit:
    """The kit with the interpreter of its environment.  Raises `NoEnvironment`."""
    if not kit.environment:
        return kit
    folder = os.environ.get(ENVIRONMENTS)
    if not folder:
        raise NoEnvironment(f"{ENVIRONMENTS} is not set, so there is no interpreter with {kit.name}")
    place = Path("Scripts", "python.exe") if sys.platform == "win32" else Path("bin", "python")
    python = Path(folder).absolute() / kit.environment / place
    if not python.exists():
        raise NoEnvironment(f"there is no {python}, so there is no interpreter with {kit.name}")
    return dataclasses.replace(kit, python=str(python))
