"""Programs that are debugged in the tests, and how often they really called what they call."""

from __future__ import annotations

from pathlib import Path

WRITER = """
import hashlib, pathlib, outtake

def happened(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")

@outtake.model
def ask(prompt):
    happened("ask " + prompt)
    return hashlib.sha256(prompt.encode()).hexdigest()[:8]

@outtake.tool(effects="read")
def look(what):
    happened("look " + what)
    return {"found": hashlib.sha256(what.encode()).hexdigest()[:4]}

@outtake.tool(effects="write")
def save(text):
    happened("save " + text)
    return "saved"

@outtake.tool(effects="irreversible")
def send(text):
    happened("send " + text)
    return "sent"

@outtake.agent
def writer(topic):
    first = ask("write about " + topic)
    found = look(first)
    save(found["found"])
    return ask("finish " + found["found"])

def main(topic="birds"):
    drafts = [writer(f"{topic} {i}") for i in range(3)]
    send(drafts[-1])
    return " ".join(drafts)
"""


def write(folder: Path, text: str = WRITER, name: str = "program.py") -> str:
    """Put a program into the folder; returns its file name."""
    (folder / name).write_text(text, "utf-8")
    return name


def calls(folder: Path) -> list[str]:
    """What was really called, in order."""
    file = folder / "calls.txt"
    return file.read_text("utf-8").splitlines() if file.exists() else []
