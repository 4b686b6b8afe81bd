"""The same team without any framework: functions, and Outtake's decorators that say what they are.

The orchestrator plans and gives each member its instruction, a web surfer and a file surfer use their tools, a coder
writes a check, an executor runs it. The policies, the almanac and the files are those of `team.py`, and so are the
mistake and its repairs: 525, and 519 once somebody says how to look.

    python plain_team.py                            scripted, offline
    OUTTAKE_DEMO_DELAY=0.5 python plain_team.py     each call of a model taking half a second
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import outtake

if TYPE_CHECKING or __package__ == "outtake.demo":
    from .almanac import Browser, Notes, read_pages, serve
    from .almanac.policies import POLICIES, Message, Say, ToolResult
    from .question import TASK
else:
    # Run by path, as `team.py` is: what this file needs lies beside it.
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from almanac import Browser, Notes, read_pages, serve
    from almanac.policies import POLICIES, Message, Say, ToolResult
    from question import TASK

_ORCHESTRATOR = "Orchestrator"
_MAX_ROUNDS = 12
_MAX_TOOL_CALLS = 8
_CODE_SECONDS = 20

# A message as chat models take it: role, content, perhaps name and tool calls.
Chat = dict[str, Any]
Tools = Mapping[str, Callable[..., Awaitable[str]]]

_PROMPTS = {
    "facts": "Here is the user request: {question}\nList the facts for it: given, to look up, to derive, guessed.",
    "plan": "The user request is: {question}\nMake a plan: a line for each of {members}.",
    "next": "Say as JSON whether the request is satisfied, and if not, who speaks next (select from: {members}) "
    "and what he is asked.",
    "answer": "Give the final answer to the user request: {question}",
}
_LEDGER = "The user request:\n{question}\n\nThe facts:\n{facts}\n\nThe plan:\n{plan}"
_WEB_SURFER = (
    "You read the web with your tools. You can reach http://almanac.example/ and nothing besides. Do what the "
)
_WEB_SURFER += "last instruction says, then report what you found and where."


# -- models ----------------------------------------------------------------------------------------------------------


@outtake.model(name="model")
async def complete(policy: str, messages: list[Chat]) -> Chat:
    """A model's answer: here a scripted policy's."""
    await asyncio.sleep(float(os.environ.get("OUTTAKE_DEMO_DELAY") or 0))
    reply = POLICIES[policy]([_read(message) for message in messages])
    if isinstance(reply, Say):
        return {"role": "assistant", "content": reply.text}
    function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
    number = 1 + sum(message["role"] == "tool" for message in messages)
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": reply.thought, "tool_calls": [call]}


async def ask(policy: str, messages: Sequence[Chat]) -> Chat:
    """The same; whoever edits the answer may say it as a text."""
    answer: Chat | str = await complete(policy, list(messages))
    return {"role": "assistant", "content": answer} if isinstance(answer, str) else answer


def _read(message: Chat) -> Message:
    """A message as the policies know it."""
    content, name = message.get("content") or "", message.get("name", "")
    match message["role"]:
        case "tool":
            return Message("tool", results=(ToolResult(name, content, message.get("is_error", False)),))
        case "assistant" if message.get("tool_calls"):
            return Message("assistant", thought=content)
        case role:
            return Message(role, content, name)


# -- members ---------------------------------------------------------------------------------------------------------


def browser_tools() -> Tools:
    """The web surfer's tools, on an almanac that this process serves to itself. They change nothing."""
    return {call.__name__: outtake.tool(effects="read")(call) for call in Browser(serve(read_pages())).tools()}


def notes_tools() -> Tools:
    """The file surfer's tools."""
    notes = Notes()

    @outtake.tool(effects="read")
    async def list_files() -> str:
        """List the names of the files in the notes folder, one a line."""
        return notes.list_files()

    @outtake.tool(effects="read")
    async def read_file(name: str) -> str:
        """Read a text file of the notes folder."""
        return notes.read_file(name)

    return {"list_files": list_files, "read_file": read_file}


@outtake.tool(effects="pure")
async def run_python(code: str) -> str:
    """Run a snippet in an interpreter of its own, and give what it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", code, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    printed, _ = await asyncio.wait_for(process.communicate(), _CODE_SECONDS)
    failed = "" if process.returncode == 0 else "The script ran, then exited with an error\n"
    return failed + printed.decode()


class Team:
    """The members, and what they have told each other."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._thread: list[Chat] = []
        self._web, self._files = browser_tools(), notes_tools()
        self._members: dict[str, Callable[[str], Awaitable[str]]] = {
            "FileSurfer": self.file_surfer,
            "WebSurfer": self.web_surfer,
            "Coder": self.coder,
            "Executor": self.executor,
        }

    async def answer(self) -> str:
        """Plan, then have one member after the other do its part."""
        facts, plan = await self.orchestrator("facts"), await self.orchestrator("plan")
        self._say(_ORCHESTRATOR, _LEDGER.format(question=self._question, facts=facts, plan=plan))
        for _ in range(_MAX_ROUNDS):
            decided = json.loads(await self.orchestrator("next"))
            told = {key: decided[key]["answer"] for key in decided}
            if told["is_request_satisfied"]:
                break
            member, instruction = told["next_speaker"], told["instruction_or_question"]
            self._say(_ORCHESTRATOR, instruction)
            self._say(member, await self._members[member](instruction))
        return await self.orchestrator("answer")

    @outtake.agent
    async def orchestrator(self, what: str) -> str:
        """One of the orchestrator's questions to its model: the facts, the plan, who is next, the answer."""
        mine = [
            {**message, "role": "assistant" if message["name"] == _ORCHESTRATOR else "user"} for message in self._thread
        ]
        prompt = _PROMPTS[what].format(question=self._question, members=", ".join(self._members))
        told = await ask("orchestrator", [*mine, {"role": "user", "name": _ORCHESTRATOR, "content": prompt}])
        return str(told["content"])

    @outtake.agent
    async def web_surfer(self, instruction: str) -> str:
        """Reads web pages."""
        return await self._with_tools("web_surfer", _WEB_SURFER, instruction, self._web)

    @outtake.agent
    async def file_surfer(self, instruction: str) -> str:
        """Reads the files of the notes folder."""
        return await self._with_tools("file_surfer", "You read files with your tools.", instruction, self._files)

    @outtake.agent
    async def coder(self, instruction: str) -> str:
        """Writes a check of the figures."""
        return str((await ask("coder", self._heard("You write Python snippets.", instruction)))["content"])

    @outtake.agent
    async def executor(self, instruction: str) -> str:
        """Runs the last snippet; it has no model."""
        written = [message["content"] for message in self._thread if message["name"] == "Coder"]
        code = re.findall(r"```python\n(.*?)```", written[-1] if written else "", re.DOTALL)
        return (await run_python(code[-1])).strip() if code else "No code blocks found in what the Coder said."

    async def _with_tools(self, policy: str, system: str, instruction: str, tools: Tools) -> str:
        """Ask the model, call the tools that it asks for, and so on until it says something."""
        messages = self._heard(system, instruction)
        for _ in range(_MAX_TOOL_CALLS):
            answer = await ask(policy, messages)
            messages.append(answer)
            if not answer.get("tool_calls"):
                return str(answer["content"])
            messages += [await _call(tools, call) for call in answer["tool_calls"]]
        return "I could not come to an end."

    def _heard(self, system: str, instruction: str) -> list[Chat]:
        """What a member has before it: its rules, what the team said before, and the instruction as it was given."""
        said = [{**message, "role": "user"} for message in self._thread[:-1]]
        asked = {"role": "user", "name": _ORCHESTRATOR, "content": instruction}
        return [{"role": "system", "content": system}, *said, asked]

    def _say(self, member: str, content: str) -> None:
        self._thread.append({"name": member, "content": content})


async def _call(tools: Tools, call: Chat) -> Chat:
    """The answer to a tool call; an error is one, too, and the model may read it."""
    name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
    result = {"role": "tool", "tool_call_id": call["id"], "name": name}
    try:
        return {**result, "content": await tools[name](**arguments)}
    except (LookupError, TypeError) as error:
        return {**result, "content": str(error), "is_error": True}


async def team(question: str = TASK) -> str:
    """Have a new team answer a question."""
    return await Team(question).answer()


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(team())}\n")
