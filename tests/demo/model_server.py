"""A stand-in for an OpenAI-compatible server: it speaks the protocol and plays the parts of a team, in a few words."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any

Request = dict[str, Any]
Message = dict[str, Any]


class ModelServer(ThreadingTCPServer):
    """Answers chat completions on a free port, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.paths: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        request: Request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.add(self.path)
        self.server.requests.append(request)
        body = json.dumps(_completion(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _completion(request: Request) -> dict[str, object]:
    message = _answer(request)
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    }


def _answer(request: Request) -> Message:
    messages = request["messages"]
    prompt = str(messages[-1]["content"])
    if request.get("tools"):
        return {"content": "Roy White, 519 at bats"} if messages[-1]["role"] == "tool" else _sort_by_walks()
    if "answer in pure JSON format" in prompt:
        return {"content": _ledger(satisfied="519 at bats" in json.dumps(messages))}
    return {"content": "FINAL ANSWER: 519" if "provide the final answer" in prompt else "Ask the WebSurfer."}


def _sort_by_walks() -> Message:
    arguments = {"address": "http://almanac.example/1977/batting", "column": "walks", "descending": True}
    function = {"name": "sort_table", "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}


def _ledger(satisfied: bool) -> str:
    answers = {
        "is_request_satisfied": satisfied,
        "is_in_loop": False,
        "is_progress_being_made": True,
        "next_speaker": "WebSurfer",
        "instruction_or_question": "Sort the table by walks.",
    }
    return json.dumps({key: {"reason": "so", "answer": answer} for key, answer in answers.items()})
