"""Requests to a model's API with their responses, in the ways in which programs and proxies write them down.

A document has both (``request`` and ``response``, or the like, with the HTTP message around the body or without), or
they follow each other, a document each.  What is asked and answered stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from outtake.importers import models
from outtake.importers.log import BadLog, Call, Log, Part, Usage
from outtake.importers.values import amount, decoded, fields, items, moment, part, text, whole
from outtake_probe.records import Json

PROGRAM = "program"
_PAIRS = (("request", "response"), ("req", "res"), ("request_body", "response_body"), ("input", "output"))
_BODIES = ("body", "json", "content", "data")
_BEGAN = ("start_time", "startTime", "started_at", "request_time", "timestamp", "created_at", "time", "date")
_ENDED = ("end_time", "endTime", "ended_at", "response_time", "completed_at")
_TOLD = frozenset({"error", *_BEGAN, *_ENDED, *(name for pair in _PAIRS for name in pair)})
Document = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a model was asked, and what came back: a body, the pieces of a stream, or an error; None: nothing."""

    request: Document
    response: Json
    about: Document = field(default_factory=dict)
    """What the log says beside the two."""


@dataclass(frozen=True, slots=True)
class Api:
    """One API: what its requests and responses look like, and where they say what."""

    type: Callable[[Document], str]
    """Of a request, how records call its API; empty: it is none of these."""
    answers: Callable[[Json], bool]
    """Whether something is a response, or the pieces of a streamed one."""
    usage: Callable[[Document], tuple[int, int]]
    """How many tokens went in and came out, as a response says."""
    prompt: Callable[[Document], Sequence[Document]]
    """The messages of a request, as far as they are such."""
    tools: Callable[[Json], Sequence[tuple[str, str, Json]]]
    """The tool calls that a response wants: id, name, arguments of each."""


def exchanges(documents: Sequence[Document], api: Api) -> list[Exchange]:
    """All exchanges of a file; none: it holds something else."""
    found: list[Exchange] = []
    waiting: Exchange | None = None
    for document in documents:
        one = _whole(document, api)
        if one is None and waiting is not None and _is_response(document, api):
            found[-1] = Exchange(waiting.request, _bare(document), waiting.about)
            waiting = None
            continue
        if one is None:
            request = _bare(document)
            if not (isinstance(request, dict) and api.type(request)):
                return []
            one = waiting = Exchange(request, None, _about(document) if request is not document else {})
        else:
            waiting = None
        found.append(one)
    return found if any(api.answers(one.response) for one in found) else []


def _whole(document: Document, api: Api) -> Exchange | None:
    """The exchange that one document holds."""
    for asked, answered in _PAIRS:
        request = _bare(fields(decoded(document.get(asked))))
        if answered in document or "error" in document:
            if isinstance(request, dict) and api.type(request):
                return Exchange(request, _answered(document, answered), _about(document))
            if asked not in document and answered != "output" and api.type(document) and answered in document:
                rest = {key: value for key, value in document.items() if key not in _TOLD}
                return Exchange(rest, _answered(document, answered), {k: document[k] for k in document if k in _TOLD})
    return None


def _answered(document: Document, name: str) -> Json:
    found = _bare(decoded(document.get(name)))
    return found if found or not document.get("error") else {"error": document["error"]}


def _is_response(document: Document, api: Api) -> bool:
    response = _bare(document)
    return api.answers(response) or (isinstance(response, dict) and bool(response.get("error")))


def _bare(message: Json) -> Json:
    """The body of an HTTP message, or what is no such message."""
    if not isinstance(message, dict) or not any(key in message for key in ("headers", "status_code", "status", "url")):
        return message
    held = next((message[name] for name in _BODIES if name in message), None)
    return message if held is None else decoded(held)


def _about(document: Document) -> dict[str, Json]:
    """What is said beside request and response."""
    return {key: value for key, value in document.items() if not isinstance(value, (dict, list))}


def log(found: Sequence[Exchange], api: Api) -> Log:
    """The run of all exchanges, in order; tools that were called in between are known by the prompts that follow."""
    program = Call(kind="flow", component=PROGRAM)
    known = _Tools(program.inside)
    unanswered = 0
    for one in found:
        known.told(api.prompt(one.request))
        call = _call(one, api)
        unanswered += not call.is_over
        program.inside.append(call)
        known.wanted(api.tools(one.response))
    asked = next((said for one in found for said in api.prompt(one.request) if said.get("role") == "user"), {})
    last = next((one.response for one in reversed(found) if api.answers(one.response)), None)
    program.input = {"input": models.plain(asked.get("content"))}
    program.output = last
    guessed = ["all requests are of one run, in the order of the file"]
    if known.found:
        guessed.append(f"tools gave what the next prompt says ({known.found}); when they ran is not in the log")
    if unanswered:
        guessed.append(f"requests without a response never came back ({unanswered})")
    if len(program.inside) == 0:
        raise BadLog("it has no request")
    return Log(input=models.plain(asked.get("content")), output=last, parts=[program], guessed=guessed)


def _call(one: Exchange, api: Api) -> Call:
    response = fields(one.response)
    error = response.get("error") if not api.answers(one.response) else None
    began = next((at for key in _BEGAN if (at := moment(one.about.get(key))) is not None), None)
    ended = next((at for key in _ENDED if (at := moment(one.about.get(key))) is not None), None)
    if began is None and ended is None:
        began = moment(response.get("created", response.get("created_at")))
    model = part(one.request.get("model")) if one.request.get("model") else "model"
    return Call(
        kind="model",
        component=f"{PROGRAM}/{model}",
        type=api.type(one.request),
        input=dict(one.request),
        output=one.response,
        error=None if not error else text(fields(error).get("message")) or text(error) or "error",
        error_type=part(fields(error).get("type", "Error")) if error else "",
        began=began,
        ended=ended,
        is_over=one.response is not None,
        usage=Usage(*api.usage(response), amount(one.about.get("cost", one.about.get("response_cost")))),
    )


class _Tools:
    """Tool calls that a model wanted, until a prompt brings their results."""

    def __init__(self, into: list[Part]) -> None:
        self._into = into
        self._waiting: dict[str, tuple[str, Json]] = {}
        self.found = 0

    def wanted(self, calls: Sequence[tuple[str, str, Json]]) -> None:
        self._waiting |= {id: (name, given) for id, name, given in calls if id}

    def told(self, prompt: Sequence[Document]) -> None:
        if not self._waiting:
            return
        for said in prompt:
            for id, _, output in models.results_of(said):
                if id in self._waiting:
                    name, given = self._waiting.pop(id)
                    component = f"{PROGRAM}/tools/{part(name)}"
                    self._into.append(Call(kind="tool", component=component, input=given, output=output))
                    self.found += 1


def tokens(response: Document, tokens_in: Sequence[str], tokens_out: str) -> tuple[int, int]:
    """How many tokens a response says that it took."""
    usage = fields(response.get("usage"))
    return sum(whole(usage.get(name)) for name in tokens_in), whole(usage.get(tokens_out))


def pieces(response: Json) -> Iterator[Document]:
    """The pieces of a streamed response."""
    yield from (piece for piece in items(response) if isinstance(piece, dict))
