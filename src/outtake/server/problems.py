"""Errors as answers: each kind of the service's has a status, and all have one form."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from outtake.server.encoding import Plain
from outtake.server.models.errors import Error, Problem
from outtake.service import GivenUp, ServiceError

STATUS = {
    "wrong_use": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "untrusted": 409,
    "bad_body": 422,
}
"""Status of an answer by the code of its error; everything else is the server's own fault."""
ANSWERS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "What was asked for cannot be; nothing was changed"},
    401: {"model": Problem, "description": "The token is missing or wrong"},
    403: {"model": Problem, "description": "The request comes from another page, or names another host"},
    404: {"model": Problem, "description": "The thing that was named is not there"},
    409: {
        "model": Problem,
        "description": "Not now: the run has ended, or still runs; or it came in a file and is not trusted",
    },
    422: {"model": Problem, "description": "The request has not the right form, or the target does not accept a value"},
}


def shared(document: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI document in which every operation refers to the same answers for its errors."""
    answers: dict[str, Any] = document["components"].setdefault("responses", {})
    for operation in (each for path in document["paths"].values() for each in path.values()):
        for status in sorted(operation["responses"].keys() & set(map(str, ANSWERS))):
            name = HTTPStatus(int(status)).phrase.title().replace(" ", "")
            if answers.setdefault(name, operation["responses"][status]) == operation["responses"][status]:
                operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    return document


def problem(code: str, message: str, schema: Any = None, status: int | None = None) -> Plain:
    """An error as an answer."""
    document = Problem(error=Error.model_validate({"code": code, "message": message, "schema": schema}))
    return Plain(document.model_dump(mode="json"), status or STATUS.get(code, 500))


def of_service(error: ServiceError) -> Plain:
    return problem(error.code, str(error), getattr(error, "schema", None))


def install(app: FastAPI) -> None:
    """Every error of this application gets the one form."""

    @app.exception_handler(ServiceError)
    def _service(_: Request, error: ServiceError) -> Plain:
        return of_service(error)

    @app.exception_handler(GivenUp)
    def _given_up(_: Request, error: GivenUp) -> Plain:
        return problem("conflict", str(error))

    @app.exception_handler(RequestValidationError)
    def _form(_: Request, error: RequestValidationError) -> Plain:
        return problem("wrong_use", "; ".join(_slip(slip) for slip in error.errors()), status=422)

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Plain:
        code = "not_found" if error.status_code == 404 else "wrong_use"
        return problem(code, f"{request.method} {request.url.path}: {error.detail}", status=error.status_code)

    @app.exception_handler(Exception)
    def _fault(request: Request, _: Exception) -> Plain:
        return problem("error", f"{request.method} {request.url.path} failed; the server's terminal shows why")


def _slip(slip: dict[str, Any]) -> str:
    """One thing that is wrong with a request: where, and what is expected."""
    where = ".".join(str(part) for part in slip["loc"])
    return f"{where}: {slip['msg']}"
