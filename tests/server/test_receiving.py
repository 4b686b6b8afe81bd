"""Spans that programs send become runs: who may send them, in which forms, and that a trace is one run."""

from __future__ import annotations

import gzip
import json
import queue
from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from outtake.service import Service, WrongUse
from outtake.service import receiving as limits
from outtake.service.receiving import Full, Receiver
from tests.server.conftest import BOUND, Client, Document, Server, serving

TRACE, OTHER = "5b8efff798038103d269b633813fc60c", "5b8efff798038103d269b633813fc60d"


def span(number: int, parent: int = 0, trace: str = TRACE) -> Document:
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": f"s{number}",
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + number),
        "endTimeUnixNano": str(1_700_000_001_000_000_000 + number),
    }


def request(*spans: Document) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def as_protobuf(number: int, parent: int) -> bytes:
    message = ExportTraceServiceRequest()
    made = message.resource_spans.add().scope_spans.add().spans.add()
    made.trace_id, made.span_id = bytes.fromhex(TRACE), number.to_bytes(8, "big")
    made.parent_span_id, made.name = parent.to_bytes(8, "big"), f"s{number}"
    made.start_time_unix_nano, made.end_time_unix_nano = 1_700_000_000_000_000_000, 1_700_000_001_000_000_000
    return bytes(message.SerializeToString())


class Told:
    """What the receiver says."""

    def __init__(self) -> None:
        self._said: queue.Queue[str] = queue.Queue()
        self.say = self._said.put

    def next(self) -> str:
        return self._said.get(timeout=BOUND)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def receiver(service: Service, told: Told) -> Iterator[Receiver]:
    made = Receiver(service, told.say, quiet=3600, idle=3600)
    yield made
    made.close()


@pytest.fixture
def taking(service: Service, receiver: Receiver) -> Iterator[Server]:
    with serving(service, receiver=receiver) as found:
        yield found


def components(service: Service, run: str) -> list[str]:
    return [record["component"] for record in service.show(run, kind="invocation_started")]


def test_spans_that_come_late_join_the_run_of_their_trace(taking: Server, receiver: Receiver, service: Service) -> None:
    client = taking.client
    reply = client.ask("POST", "/v1/traces", request(span(2, 1), span(9, 0, OTHER)))
    assert (reply.status, reply.json) == (200, {})
    protobuf = {"Content-Type": "application/x-protobuf"}
    assert client.ask("POST", "/v1/traces", as_protobuf(3, 2), protobuf).body == b""
    packed = {"Content-Encoding": "gzip"}
    assert client.ask("POST", "/v1/traces", gzip.compress(request(span(1))), packed).status == 200
    assert service.runs() == []
    receiver.close()
    runs = {run["name"]: run["run"] for run in client.get("/api/runs")}
    assert set(runs) == {"s1 (5b8efff7)", "s9 (5b8efff7)"}
    assert sorted(components(service, runs["s1 (5b8efff7)"])) == ["s1", "s1/s2", "s1/s2/s3"]
    info = client.get(f"/api/runs/{runs['s1 (5b8efff7)']}")
    assert (info["imported"], info["timed"], info["log"]) == (True, True, "OpenTelemetry spans")
    assert any("became steps (3 of 3)" in guess for guess in info["guessed"])


def test_a_trace_is_over_when_nothing_comes_any_more(service: Service, told: Told) -> None:
    receiver = Receiver(service, told.say, quiet=0, idle=0)
    receiver.take(request(span(1)), is_json=True, is_packed=False)
    assert told.next() == f"the trace {TRACE} is r1"
    receiver.take(request(span(2, 1)), is_json=True, is_packed=False)
    assert told.next() == f"the trace {TRACE} is r2"
    assert any("came after the trace was over" in guess for guess in service.info("r2")["guessed"])
    receiver.close()


def test_who_has_no_token_sends_nothing(taking: Server, receiver: Receiver, service: Service) -> None:
    token, data = taking.keys.token, request(span(1))
    told = {"Authorization": "Bearer wrong"}
    for path, headers in (("/v1/traces", {}), ("/v1/traces", told), ("/otlp/wrong/v1/traces", {})):
        assert taking.stranger.ask("POST", path, data, headers).status == 401, path
    elsewhere = {"Host": "example.org", "Authorization": f"Bearer {token}"}
    assert taking.stranger.ask("POST", "/v1/traces", data, elsewhere).status == 403
    page = {"Origin": "http://example.org"}
    assert taking.client.ask("POST", "/v1/traces", data, page).status == 403
    assert taking.stranger.ask("POST", f"/otlp/{token}/api/runs", data).status in (401, 404, 405)
    receiver.close()
    assert service.runs() == []


def test_an_exporter_that_knows_an_address_only_has_the_token_there(taking: Server) -> None:
    reply = taking.stranger.ask("POST", f"/otlp/{taking.keys.token}/v1/traces", request(span(1)))
    assert reply.status == 200


def test_the_receiver_is_off_unless_it_is_switched_on(server: Server) -> None:
    for client in (server.client, server.stranger):
        assert client.ask("POST", "/v1/traces", request(span(1))).status in (401, 404, 405)
    assert server.client.get("/api/runs") == []


BAD: list[tuple[bytes, dict[str, str], int]] = [
    (b"{}", {}, 400),
    (b"nothing", {}, 400),
    (request({"name": "x"}), {}, 400),
    (b"\xff\xff", {"Content-Type": "application/x-protobuf"}, 400),
    (b"x", {"Content-Type": "text/plain"}, 415),
    (b"x", {"Content-Encoding": "br"}, 415),
    (b"x", {"Content-Encoding": "gzip"}, 400),
    (gzip.compress(request(span(1)))[:-9], {"Content-Encoding": "gzip"}, 400),
    (gzip.compress(b" " * (limits.LARGEST + 1)), {"Content-Encoding": "gzip"}, 400),
    (b" " * (limits.LARGEST + 1), {}, 413),
]


@pytest.mark.parametrize(("data", "headers", "status"), BAD)
def test_what_is_no_export_request_is_refused(
    taking: Server, receiver: Receiver, data: bytes, headers: dict[str, str], status: int
) -> None:
    reply = taking.client.ask("POST", "/v1/traces", data, headers)
    assert (reply.status, bool(reply.error["message"])) == (status, True)
    receiver.close()
    assert taking.service.runs() == []


def test_more_than_is_held_is_refused(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TRACES", 1)
    receiver.take(request(span(1)), is_json=True, is_packed=False)
    with pytest.raises(Full):
        receiver.take(request(span(1, trace=OTHER)), is_json=True, is_packed=False)
    monkeypatch.setattr(limits, "HELD", 100)
    with pytest.raises(Full):
        receiver.take(request(span(2)), is_json=True, is_packed=False)
    with pytest.raises(WrongUse):
        receiver.take(b"", is_json=False, is_packed=True)


def test_a_client_is_told_to_send_again(taking: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HELD", 10)
    client: Client = taking.client
    assert client.ask("POST", "/v1/traces", request(span(1))).status == 503
