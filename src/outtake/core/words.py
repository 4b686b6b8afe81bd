"""Values as a person reads them: bodies as text, long ones folded, times and counts in words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from outtake.core import answers

LINES, CHARACTERS, LINE = 12, 800, 96
"""Where a body is folded, and how much of one fits into the line of its record."""
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b.|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INNER = ("response", "chat_message", "message", "messages", "result", "content", "choices", "answer")
"""Where messages and model answers keep what was said, outermost first."""
_INNER_OF_TYPED = ("fields", "items", "value", "repr")
"""Where a typed value (`outtake_probe.codec`) keeps what it holds; others hold it beside their tag."""
_TAGS = frozenset(("$type", "class"))
_GIVEN = ("arguments", "input", "args")
_SPEAKING = frozenset(("content", "chat_message", "response", "choices"))
"""Fields that only what somebody said has."""


def clean(text: str) -> str:
    """Text that cannot steer a terminal."""
    return _CONTROLS.sub("", text)


def said(body: Any) -> str | None:
    """What a body says in words: a text, an error, the text of a message however deep; None where it says nothing."""
    if isinstance(body, str):
        return clean(body)
    answered = answers.answer(body)
    if answered is not None:
        return said(answered)
    if isinstance(body, list):
        if (text := answers.parts(body)) is not None and not any(map(called, body)):
            return clean(text)
        calls = [call for item in body if (call := called(item))]
        texts = [text for item in body if (text := said(item))]
        return "\n".join(calls) if calls else texts[-1] if texts else None
    if not isinstance(body, dict):
        return None
    if body.get("$type") == "exception":
        return error_line(body)
    if body.get("tool_calls"):
        return said(body["tool_calls"])
    return next((text for name in _INNER if name in body and (text := said(body[name]))), None)


def called(item: Any) -> str | None:
    """A tool call that a model asks for, as in ``look({"x": 1})``."""
    call = item.get("function", item) if isinstance(item, dict) else None
    given = next((call[name] for name in _GIVEN if name in call), None) if isinstance(call, dict) else None
    if not isinstance(call, dict) or "name" not in call or given is None:
        return None
    return clean(f"{call['name']}({given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)})")


def result(output: Any) -> str:
    """The result of a run: the answer, where it has one among other things."""
    if isinstance(output, dict) and isinstance(output.get("answer"), str):
        return clean(output["answer"])
    return readable(output)


def readable(body: Any) -> str:
    """A body as text: what it says if it is a text or a message, else JSON."""
    text = spoken(body)
    return text if text is not None else clean(as_json(body))


def said_or_outline(body: Any) -> str:
    """A body in full: what it says if it is a text or a message, else all its fields."""
    text = spoken(body)
    return text if text is not None else outline(body)


def spoken(body: Any) -> str | None:
    """What was said, of a body that is there to say something."""
    if isinstance(body, dict):
        speaks = body.get("$type") == "exception" or bool(_SPEAKING & body.keys()) or body.keys() == {"messages"}
        return said(body) if speaks or answers.answer(body) is not None else None
    return said(body) if isinstance(body, str) or answers.answer(body) is not None else None


def as_json(body: Any) -> str:
    """JSON on one line where it fits, else indented; a typed object is named before its fields."""
    plain = untyped(body)
    line = json.dumps(plain, ensure_ascii=False)
    text = line if len(line) <= LINE else json.dumps(plain, ensure_ascii=False, indent=2)
    return f"{type_name(body)} {text}".lstrip()


def type_name(body: Any) -> str:
    """The name of the class of a typed object (an event, a data class), else nothing."""
    typed = isinstance(body, dict) and "$type" in body and isinstance(body.get("fields"), dict)
    return re.split("[.:]", str(body.get("class", "")))[-1] if typed else ""


def untyped(value: Any) -> Any:
    """A value as plain JSON: objects by their fields, tuples as lists, what cannot be brought back as its text."""
    if isinstance(value, list):
        return [untyped(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$type" not in value:
        return {name: untyped(item) for name, item in value.items()}
    if value["$type"] == "exception":
        return error_line(value)
    if value["$type"] == "dict":
        return untyped({_name(key): item for key, item in value.get("items", ())})
    inner = next((name for name in _INNER_OF_TYPED if name in value), None)
    if inner is not None:
        return untyped(value[inner])
    held = {name: untyped(item) for name, item in value.items() if name not in _TAGS}
    return held or value.get("class", value["$type"])


def _name(key: Any) -> str:
    plain = untyped(key)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def outline(body: Any) -> str:
    """A body in full, a field a line; texts as they are, so that two can be compared line by line."""
    return clean("\n".join(_outlined(body)))


def _outlined(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.splitlines() or [""]
    if not isinstance(value, (dict, list)) or not value:
        return [json.dumps(value, ensure_ascii=False)]
    if isinstance(value, dict) and value.get("$type") == "exception":
        return [error_line(value)]
    if isinstance(value, dict) and "$type" in value:
        name, inner = type_name(value), untyped(value)
        return _outlined({name: inner} if name and inner else name or inner)
    named = value.items() if isinstance(value, dict) else (("-", item) for item in value)
    lines = []
    for name, item in named:
        first, *rest = _outlined(item)
        head = f"{name}: " if isinstance(value, dict) else "- "
        short = not rest and not isinstance(item, dict)
        lines += [head + first] if short or head == "- " else [head.rstrip(), "  " + first]
        lines += ["  " + line for line in rest]
    return lines


def arguments(body: Any) -> str:
    """An input on one line: its fields, or what it says."""
    name = type_name(body)
    if name:
        return f"{name}  {arguments(untyped(body))}".rstrip()
    if isinstance(body, dict) and body and not body.keys() & {"$type", "messages"}:
        return "  ".join(f"{clean(name)}={_short(item)}" for name, item in body.items() if item is not None)
    text = said(body)
    return one_line(text if text is not None else "" if body in (None, {}) else as_json(body))


def _short(item: Any) -> str:
    return one_line(json.dumps(untyped(item), ensure_ascii=False), 60)


def one_line(text: str, limit: int = LINE) -> str:
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def shortened(text: str, limit: int) -> str:
    """The first characters of a text, up to the end of a word where there is one near."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    whole = cut.rstrip() if text[limit - 1].isspace() else re.sub(r"\s+\S*$", "", cut)
    return f"{whole if len(whole) > limit // 2 else cut}…"


def ends(text: str, limit: int) -> str:
    """A long text on one line, without its middle: the answer is often the last thing that is said."""
    flat = " ".join(clean(text).split())
    tail = limit // 3
    return flat if len(flat) <= limit else f"{flat[: limit - tail - 3].rstrip()} … {flat[-tail:].lstrip()}"


def error_line(error: Any) -> str:
    """An error as Python would say it."""
    if isinstance(error, str):
        return clean(error)
    if not isinstance(error, dict):
        return clean(as_json(error))
    if "difference" in error:
        departs = departure(error)
        return departs if error.get("cause") is None else f"{error_line(error['cause'])} ({departs})"
    name = str(error.get("class", "")).rpartition(":")[2].rpartition(".")[2]
    message = clean(str(error.get("message", "")))
    return message if name in ("", "WrongUse") else f"{name}: {message}" if message else name


def departure(error: Any) -> str:
    """Where a replay left its record."""
    return clean(f"the program departs from its record: {error['difference']}")


@dataclass(frozen=True, slots=True)
class Folded:
    """The beginning of a text, and how many characters were left out."""

    text: str
    left_out: int


def fold(text: str, lines: int = LINES, characters: int = CHARACTERS) -> Folded:
    """A long text shortened, at the end of a line where one is near."""
    shown = "\n".join(text.splitlines()[:lines])
    if len(shown) > characters:
        shown = shown[:characters]
    shown = shown.rstrip()
    left_out = len(text.rstrip()) - len(shown)
    return Folded(shown, left_out) if left_out > 0 else Folded(text.rstrip(), 0)


def duration(seconds: float) -> str:
    if seconds < 0.0005:
        return "0 ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


GIVEN = "given by you"
"""What a call is whose result a person gave instead of executing it."""


def count(number: int, thing: str) -> str:
    """``3 records``, ``1 record``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def counted(counts: dict[str, int]) -> str:
    """``4 model calls, 2 tools``, or ``nothing``."""
    names = {"model": "model call", "tool": "tool call", "step": "step", "agent": "agent turn", "task": "task"}
    return ", ".join(count(n, names[kind]) for kind, n in counts.items() if n and kind in names) or "nothing"


def one_line_kept(line: str, limit: int) -> str:
    """A line as it is, its blanks included, cut where it is too long."""
    return line if len(line) <= limit else line[: limit - 1] + "…"
