"""Runs the demo team once per edit, with one published message changed on its way; the tests run it beside AutoGen.

    python rerun_with_edits.py TEAM.PY EDITS

EDITS is a JSON list of `[source, beginning, replacement]`: the text for the messages of `source` that begin so.
Prints a JSON list of `{"texts", "answer", "edited"}`, one for each edit.
"""

import asyncio
import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_core import DefaultInterventionHandler, MessageContext, SingleThreadedAgentRuntime

GetTeam = Callable[..., MagenticOneGroupChat]


class Edit(DefaultInterventionHandler):
    """Replaces the text of what one member says to all others, if it begins as it should."""

    def __init__(self, source: str, beginning: str, replacement: str) -> None:
        self.source, self.beginning, self.replacement = source, beginning, replacement
        self.edited = 0

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        # The class is not public; only its name is known here.
        if type(message).__name__ != "GroupChatAgentResponse" or not self._is_meant(message.response.chat_message):
            return message
        self.edited += 1
        said = message.response.chat_message.model_copy(update={"content": self.replacement})
        return message.model_copy(update={"response": replace(message.response, chat_message=said)})

    def _is_meant(self, said: object) -> bool:
        return isinstance(said, TextMessage) and said.source == self.source and said.content.startswith(self.beginning)


def load(path: Path) -> tuple[GetTeam, str]:
    """The factory and the question of a team, loaded by path under a name of no meaning."""
    spec = importlib.util.spec_from_file_location("a_target", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_team, module.TASK


async def rerun(get_team: GetTeam, task: str, edit: Edit) -> dict[str, object]:
    runtime = SingleThreadedAgentRuntime(intervention_handlers=[edit])
    runtime.start()
    result = await get_team(runtime=runtime).run(task=task)
    await runtime.stop_when_idle()
    texts = [m.content for m in result.messages if isinstance(m, TextMessage)]
    return {"texts": texts, "answer": texts[-1].rpartition("FINAL ANSWER: ")[2], "edited": edit.edited}


async def main(team: str, edits: str) -> None:
    get_team, task = load(Path(team))
    print(json.dumps([await rerun(get_team, task, Edit(*edit)) for edit in json.loads(edits)]))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
