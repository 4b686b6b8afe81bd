"""A Magentic-One team that answers one question about baseball, and gets it wrong.

An ordinary AutoGen program: it needs autogen-core, -agentchat and -ext and nothing else, and it knows of no debugger.
Five members work together: AutoGen's own Magentic-One orchestrator, a web surfer, a coder, an executor and a file
surfer. The web is a small almanac that this process serves to itself; no request leaves the machine.

The models are scripted policies (`almanac/policies`): rules that read the text they are given and act on it. The
orchestrator tells the web surfer to *identify* the player with the most walks; the web surfer goes for the famous name,
and the team answers 525. Told how to look, such as *sort the table by walks and give the at bats of the first row*, it
does so, and the team answers 519, which is right. So one changed message turns a wrong run into a right one: the
instruction, the plan, the click, what a tool returned, a report.

    python team.py                                            scripted, offline
    OUTTAKE_DEMO_MODEL=openai:gpt-4o-mini python team.py      a real model; OPENAI_BASE_URL and OPENAI_API_KEY say where
    OUTTAKE_DEMO_DELAY=0.5 python team.py                     scripted, each call taking half a second

With a real model, the executor runs code that the model wrote, in a temporary folder of this machine.
"""

import asyncio
import os
import sys
import warnings
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autogen_agentchat.agents import AssistantAgent, CodeExecutorAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_agentchat.ui import Console
from autogen_core import AgentRuntime
from autogen_core.models import ChatCompletionClient, ModelFamily, ModelInfo
from autogen_core.tools import BaseTool, FunctionTool
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

if TYPE_CHECKING or __package__ == "outtake.demo":
    from .almanac import Browser, Notes, read_pages, serve
    from .almanac.scripted_model import ScriptedModel
    from .question import TASK
else:
    # Run by path, in an interpreter that need not have Outtake: what this file needs lies beside it.
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from almanac import Browser, Notes, read_pages, serve
    from almanac.scripted_model import ScriptedModel
    from question import TASK

_MAX_ROUNDS = 12
_MAX_TOOL_CALLS = 8
_CODE_SECONDS = 20

# Gives the member of this name its model.
Models = Callable[[str], ChatCompletionClient]


def get_team(
    model: str | None = None, *, delay: float | None = None, runtime: AgentRuntime | None = None
) -> MagenticOneGroupChat:
    """The team, on scripted policies or on a real model (`openai:NAME`; default: OUTTAKE_DEMO_MODEL, else scripted)."""
    model = model or os.environ.get("OUTTAKE_DEMO_MODEL")
    delay = float(os.environ.get("OUTTAKE_DEMO_DELAY") or 0) if delay is None else delay
    models = _real_models(model) if model else _scripted_models(delay)
    return MagenticOneGroupChat(
        [_web_surfer(models), _coder(models), _executor(trusted=not model), _file_surfer(models)],
        model_client=models("orchestrator"),
        max_turns=_MAX_ROUNDS,
        runtime=runtime,
    )


def _scripted_models(delay: float) -> Models:
    return lambda member: ScriptedModel(member, delay)


def _real_models(model: str) -> Models:
    """One client for all members. Nothing but JSON mode and tool calls is asked of the server, so any will do."""
    provider, _, name = model.partition(":")
    if provider != "openai" or not name:
        raise ValueError(f"unknown model {model!r}: say openai:NAME, for example openai:gpt-4o-mini")
    # The scripted team neither needs nor loads the package `openai`.
    from autogen_ext.models.openai import OpenAIChatCompletionClient  # noqa: PLC0415

    abilities = ModelInfo(
        vision=False, function_calling=True, json_output=True, family=ModelFamily.UNKNOWN, structured_output=False
    )
    client = OpenAIChatCompletionClient(model=name, model_info=abilities)
    return lambda _: client


def _web_surfer(models: Models) -> AssistantAgent:
    return AssistantAgent(
        "WebSurfer",
        models("web_surfer"),
        tools=_tools(Browser(serve(read_pages())).tools()),
        max_tool_iterations=_MAX_TOOL_CALLS,
        description="Reads web pages: opens them, follows links, sorts tables, searches.",
        system_message="You read the web with your tools. You can reach http://almanac.example/ and nothing besides. "
        "Do what the last instruction says, then report what you found and where.",
    )


def _tools(
    calls: Sequence[Callable[..., Any]],
) -> list[BaseTool[Any, Any] | Callable[..., Any] | Callable[..., Awaitable[Any]]]:
    return [FunctionTool(call, description=call.__doc__ or "") for call in calls]


def _coder(models: Models) -> AssistantAgent:
    return AssistantAgent(
        "Coder",
        models("coder"),
        description="Writes Python snippets. It cannot run them.",
        system_message="You write complete Python snippets that need the standard library only, each in one "
        "```python block, and print their result. You cannot run them; the Executor can.",
    )


def _executor(trusted: bool) -> CodeExecutorAgent:
    with warnings.catch_warnings():
        # AutoGen warns that code runs here unapproved: no news for scripted code, worth saying for a model's.
        if trusted:
            warnings.simplefilter("ignore", UserWarning)
        return CodeExecutorAgent(
            "Executor",
            LocalCommandLineCodeExecutor(timeout=_CODE_SECONDS),
            description="Runs the Python snippets that the Coder wrote and reports what they print.",
            sources=["Coder"],
            supported_languages=["python"],
        )


def _file_surfer(models: Models) -> AssistantAgent:
    return AssistantAgent(
        "FileSurfer",
        models("file_surfer"),
        tools=_tools(Notes().tools()),
        max_tool_iterations=_MAX_TOOL_CALLS,
        description="Reads the files of the notes folder, among them a glossary.",
        system_message="You read files with your tools. Do what the last instruction says, then report what you read.",
    )


async def main() -> TaskResult:
    """Run the team on its question, showing every message; the last one holds the answer."""
    result = await Console(get_team().run_stream(task=TASK))
    assert isinstance(result, TaskResult)
    return result


if __name__ == "__main__":
    asyncio.run(main())
