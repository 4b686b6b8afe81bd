"""What a tool without calls inside changes in the process is changed again where a fork serves the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from outtake.service.service import Document, Service

WAIT = 30.0
SHOP = """
import outtake
from collections import deque
from dataclasses import dataclass, field

@dataclass
class Item:
    name: str
    count: int = 1

class Shelf:
    def __init__(self):
        self.last = None
        self.names = []

total = 0
stock = {"apple": {"count": 3}}
orders = [{"name": "first"}]
seen = set()
recent = deque(["x"], maxlen=3)
shelf = Shelf()
favourite = stock["apple"]

@outtake.tool()
def order(name, many):
    global total, favourite
    total += many
    stock.setdefault(name, {"count": 0})["count"] += many
    orders.append({"name": name, "of": Item(name, many)})
    seen.add(name)
    recent.appendleft(name)
    shelf.last = orders[-1]["of"]
    shelf.names = [*shelf.names, name]
    favourite = stock[name]
    return "ordered"

@outtake.model
def ask(question):
    return "asked " + question

def main(topic):
    order("pear", 2)
    ask(topic)
    order("apple", 4)
    ask("more")
    return {
        "total": total, "stock": stock, "orders": [[o["name"], o["of"].count if "of" in o else 0] for o in orders],
        "seen": sorted(seen), "recent": list(recent), "last": [shelf.last.name, shelf.last.count], "names": shelf.names,
        "is_shared": favourite is stock["apple"], "is_last": shelf.last is orders[-1]["of"],
    }
"""


def ended(service: Service, started: Document) -> Document:
    return service.wait(started["run"], timeout=WAIT)


@pytest.mark.parametrize("cut", ["start", "middle", "end"])
def test_a_fork_has_what_its_served_tools_changed(service: Service, tmp_path: Path, cut: str) -> None:
    (tmp_path / "program.py").write_text(SHOP)
    done = ended(service, service.run("program.py:main", input="a", has_input=True, headless=True))
    assert done["status"] == "completed", done["error"]
    assert done["output"]["total"] == 6
    at = {"start": 1, "middle": done["records"] // 2, "end": done["records"] - 1}[cut]
    fork = ended(service, service.fork("r1", at=at, headless=True))
    assert fork["status"] == "completed", fork["error"]
    assert {**fork["output"], "is_last": True} == {**done["output"], "is_last": True}
    report = service.report(fork["run"])
    assert report["saved"]["calls"] or cut == "end"
