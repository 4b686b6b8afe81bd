"""Every figure of the design's budgets, side by side in one run; one JSON document on standard output.

    python -m benchmarks [--messages 50 200 800] [--rounds 3] [--only autogen ingest ...]

Each round measures the plain program, the program under Outtake, and the program with what its framework or a peer
offers to go back (AutoGen: saving all state before every message; LlamaIndex: `ctx.to_dict()` at every step; LangGraph:
`SqliteSaver`), one after the other; ratios are those of the medians.  Then the ingest of records, searches
in a long run, and for each example the share of invocations that are executed again after an edit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Figures = dict[str, float]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def last_line(*command: str) -> Figures:
    """What a measurement printed."""
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def medians(rounds: list[Figures]) -> Figures:
    return {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}


@dataclass(frozen=True)
class Chat:
    """One program that is measured: plain, under Outtake, and with what its framework or a peer offers to go back."""

    name: str
    environment: str
    policy: str
    """The argument with which the program goes by the other policy, and its name in the figures."""
    slow: bool = False
    """The other policy takes as long as all the rest, so it is measured once."""

    @property
    def file(self) -> str:
        return str(HERE / "programs" / f"loop_{self.name}.py")

    @property
    def python(self) -> str:
        envs = os.environ.get("OUTTAKE_ENVS")
        return str(Path(envs, self.environment, "bin", "python")) if envs else sys.executable


CHATS = (
    Chat("autogen", "autogen", "save_state", slow=True),
    Chat("llamaindex", "llamaindex", "to_dict", slow=True),
    Chat("langgraph", "langgraph", "sqlite"),
)


OTHERS = ("ingest", "searching", "examples")


def measure(chat: Chat, messages: int, rounds: int) -> dict[str, Figures]:
    """The three policies for one length of chat."""
    found: dict[str, list[Figures]] = {"plain": [], "outtake": [], chat.policy: []}
    for number in range(rounds):
        say(f"{chat.name}, {messages} messages, round {number + 1} of {rounds}")
        found["plain"].append(last_line(chat.python, chat.file, str(messages)))
        found["outtake"].append(
            last_line(sys.executable, "-m", "benchmarks.worker", chat.python, chat.file, str(messages))
        )
        if number == 0 or not chat.slow:
            found[chat.policy].append(last_line(chat.python, chat.file, str(messages), chat.policy))
    figures = {name: medians(rows) for name, rows in found.items()}
    figures["ratios"] = ratios(figures["plain"], figures["outtake"], figures[chat.policy], chat.policy)
    return figures


def ratios(plain: Figures, ours: Figures, theirs: Figures, policy: str) -> Figures:
    found = {
        "time_outtake_to_plain": ours["seconds"] / plain["seconds"],
        f"time_{policy}_to_plain": theirs["seconds"] / plain["seconds"],
        f"bytes_{policy}_to_outtake": theirs["bytes"] / ours["bytes"],
        "bytes_per_message": ours["bytes"] / plain["messages"],
        "memory_over_plain_mb": (ours["peak_process"] + ours["peak_server"] - plain["peak"]) / 1e6,
        f"memory_{policy}_over_plain_mb": (theirs["peak"] - plain["peak"]) / 1e6,
    }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("--messages", type=int, nargs="+", default=[50, 200, 800])
    parser.add_argument("--rounds", type=int, default=3)
    names = [chat.name for chat in CHATS]
    parser.add_argument("--only", nargs="*", choices=[*names, *OTHERS], help="measure only these")
    given = parser.parse_args()
    began = time.time()
    document: dict[str, Any] = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.system()},
    }
    for chat in CHATS:
        if given.only is None or chat.name in given.only:
            document[chat.name] = {str(n): measure(chat, n, given.rounds) for n in given.messages}
    for other in OTHERS:
        if given.only is None or other in given.only:
            document[other] = last_line(sys.executable, "-m", f"benchmarks.{other}")
    document["seconds"] = round(time.time() - began, 1)
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
