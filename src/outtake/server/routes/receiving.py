"""The OTLP/HTTP receiver: programs elsewhere send their spans here.  It is off unless the server is told otherwise."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from outtake.server.problems import problem
from outtake.service import WrongUse
from outtake.service.receiving import LARGEST, Full, Receiver

router = APIRouter(include_in_schema=False)
PROTOBUF, JSON = "application/x-protobuf", "application/json"


@router.post("/v1/traces")
@router.post("/otlp/{token}/v1/traces")
async def traces(request: Request) -> Response:
    """Take an export request of spans, protobuf or JSON, packed by gzip or not."""
    receiver: Receiver = request.app.state.receiver
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    packing = request.headers.get("content-encoding", "identity").lower()
    if kind not in (PROTOBUF, JSON) or packing not in ("identity", "gzip"):
        return problem("wrong_use", f"spans are sent as {PROTOBUF} or {JSON}, packed by gzip or not", status=415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            return problem("wrong_use", f"an export request has up to {LARGEST >> 20} MiB", status=413)
    try:
        await run_in_threadpool(receiver.take, bytes(body), is_json=kind == JSON, is_packed=packing == "gzip")
    except WrongUse as error:
        return problem("wrong_use", str(error))
    except Full as error:
        return problem("conflict", str(error), status=503)
    return Response(b"{}" if kind == JSON else b"", media_type=kind)
