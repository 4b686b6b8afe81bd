"""A model behind HTTP on the loopback that answers by a hash of its prompt, in the protocols of OpenAI and Anthropic.

It counts what it is asked.

What it says is made up: a tool call with arguments that fit, an object that fits a schema, the name of one of the
speakers where it is to select one, and the words by which teams end once a conversation is long.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from compat import anthropic_api

Json = Any
LONG = 9
"""Messages in a prompt from which on the model says that all is done."""
DONE = "APPROVE. TERMINATE. DONE. STOP. FINAL ANSWER: 519"
DIMENSIONS = 16
PIECES = 4
_CANDIDATES = re.compile(r"(?:from|of|one of)\s+(\[[^\[\]]+\])", re.IGNORECASE)


@dataclass
class Model:
    """The server: its address, and how often it was asked."""

    port: int = 0
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def count(self) -> int:
        with self._lock:
            return self._count

    def asked(self) -> None:
        """One request more."""
        with self._lock:
            self._count += 1


@contextmanager
def serving() -> Iterator[Model]:
    """The model, as long as this lasts."""
    model = Model()

    class Handler(_Handler):
        counter = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    counter: Model

    def do_GET(self) -> None:
        self._reply({"object": "list", "data": [{"id": "made-up", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.counter.asked()
        if self.path.endswith("/embeddings"):
            return self._reply(embeddings(body))
        if self.path.partition("?")[0].endswith("/messages"):
            answer = anthropic_api.answer(body, completion(anthropic_api.asked(body)))
            return self._events(answer) if body.get("stream") else self._reply(answer)
        if not self.path.endswith("/chat/completions"):
            return self._reply({"error": {"message": f"there is no {self.path} here", "type": "made_up"}}, 404)
        if body.get("stream"):
            return self._stream(body)
        return self._reply(completion(body))

    def _reply(self, value: Json, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: Json) -> None:
        self._begin_stream()
        for chunk in chunks(body):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def _events(self, message: Json) -> None:
        self._begin_stream()
        for event in anthropic_api.events(message, PIECES):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def _begin_stream(self) -> None:
        """The end of the stream is that of the connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Nothing is printed."""


# -- what it says ----------------------------------------------------------------------------------------------------


def completion(body: Json) -> Json:
    """A whole answer."""
    message = _message(body)
    return {
        "id": f"chatcmpl-{_number(body) % 10**9}",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", "made-up"),
        "choices": [{"index": 0, "message": message, "finish_reason": _reason(message), "logprobs": None}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def chunks(body: Json) -> Iterator[Json]:
    """The same answer in pieces."""
    message = _message(body)
    about = {"id": f"chatcmpl-{_number(body) % 10**9}", "object": "chat.completion.chunk", "created": 1}
    about["model"] = body.get("model", "made-up")

    def chunk(delta: Json, reason: str | None = None) -> Json:
        return {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for number, call in enumerate(message.get("tool_calls") or ()):
        yield chunk({"tool_calls": [{"index": number, **call}]})
    text = message["content"] or ""
    size = max(1, -(-len(text) // PIECES))
    for at in range(0, len(text), size):
        yield chunk({"content": text[at : at + size]})
    yield chunk({}, _reason(message))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**about, "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}}


def embeddings(body: Json) -> Json:
    """A vector for each text."""
    given = body["input"] if isinstance(body["input"], list) else [body["input"]]
    texts = given if not given or not isinstance(given[0], int) else [given]
    data = [
        {"object": "embedding", "index": n, "embedding": [b / 255 for b in _digest(text)[:DIMENSIONS]]}
        for n, text in enumerate(texts)
    ]
    return {"object": "list", "model": "made-up", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _message(body: Json) -> Json:
    messages, number = body["messages"], _number(body)
    tools = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
    wanted = body.get("tool_choice")
    if isinstance(wanted, dict):
        tools = [tool for tool in tools if tool["name"] == wanted["function"]["name"]]
    asked = messages[-1].get("role") != "tool" and len(messages) < LONG
    if tools and wanted != "none" and (asked or wanted not in (None, "auto")):
        tool = tools[number % len(tools)]
        given = made(tool.get("parameters") or {}, number)
        call = {"name": tool["name"], "arguments": json.dumps(given)}
        calls = [{"id": f"call_{number % 10**9}", "type": "function", "function": call}]
        return {"role": "assistant", "content": None, "tool_calls": calls}
    return {"role": "assistant", "content": _text(body, messages, number)}


def _text(body: Json, messages: Json, number: int) -> str:
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return json.dumps(made(form["json_schema"].get("schema") or {}, number))
    if form.get("type") == "json_object":
        return json.dumps({"answer": number % 1000})
    last = _said(messages[-1]) if messages else ""
    if found := _CANDIDATES.search(last):
        names = [name.strip(" '\"") for name in found[1].strip("[]").split(",")]
        return names[number % len(names)]
    return DONE if len(messages) >= LONG else f"The answer is {number % 1000}."


def _said(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def made(schema: Json, number: int, root: Json = None) -> Json:
    """A value that fits a schema."""
    root = schema if root is None else root
    if "$ref" in schema:
        found = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return made(found, number, root)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return made(schema[several][0], number, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][number % len(schema["enum"])]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        named = schema.get("properties") or {}
        return {name: made(each, number + n, root) for n, (name, each) in enumerate(named.items())}
    if kind == "array":
        return [made(schema.get("items") or {}, number, root)]
    plain: dict[Any, Json] = {"integer": number % 10, "number": number % 10 + 0.5, "boolean": number % 2 == 0}
    return plain.get(kind, f"word {number % 100}")


def _reason(message: Json) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _digest(value: Json) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()


def _number(body: Json) -> int:
    """What the prompt is, as a number; ids that a framework makes up are no part of it."""
    told = [(m.get("role"), m.get("name"), _said(m), _calls(m)) for m in body["messages"]]
    tools = [tool.get("function", {}).get("name") for tool in body.get("tools") or ()]
    return int.from_bytes(_digest([told, tools])[:6], "big")


def _calls(message: Json) -> Json:
    return [call.get("function") for call in message.get("tool_calls") or ()]
