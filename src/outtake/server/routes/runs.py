"""Runs: start, fork, list, read, compare, describe, rename, delete.

What holds bodies is not made into the types of the API on its way out: a body may be nested deeper than these can be.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from outtake.server import serializers
from outtake.server.encoding import Plain
from outtake.server.models.code import Code
from outtake.server.models.comparing import Difference
from outtake.server.models.describing import DescribeRequest, Description
from outtake.server.models.edits import Edit, MocksRead, MocksRequest
from outtake.server.models.finding import FoundPrograms
from outtake.server.models.records import Body, Gists, Picked, RecordPage, RecordsOutline, slim
from outtake.server.models.reporting import Report
from outtake.server.models.runs import (
    Console,
    Deleted,
    DemoRequest,
    ForkRequest,
    RenameRequest,
    RunBranch,
    RunInfo,
    RunRequest,
    RunSummary,
)
from outtake.server.models.tracing import Trace
from outtake.server.routes.dependencies import After, RunId, Using
from outtake.service import WrongUse
from outtake.service.mocks import read_mocks
from outtake.service.service import Document

router = APIRouter(prefix="/api", tags=["runs"])
PAGE, LONGEST_PAGE, LONGEST_OUTLINE = 500, 10_000, 100_000
FOREVER = "private, max-age=31536000, immutable"
"""A body's name is the hash of its content, so it never changes."""


Numbers = Annotated[str, Query(description="Numbers with commas between them", max_length=4000)]


@router.get("/runs")
def list_runs(service: Using) -> list[RunSummary]:
    """All runs, oldest first."""
    return [serializers.summary(run) for run in service.runs()]


@router.post("/runs", status_code=201, response_model=RunInfo)
def start_run(service: Using, asked: RunRequest) -> Document:
    """Start a run; the answer does not wait for its end."""
    edits = [edit.model_dump(exclude_unset=True) for edit in asked.edits]
    return service.run(**asked.model_dump(exclude={"edits"}), edits=edits, has_input="input" in asked.model_fields_set)


@router.post("/demo", status_code=201, response_model=RunInfo)
def start_demo(service: Using, asked: DemoRequest) -> Document:
    """Start the demo's run, a team that gives a wrong answer; the answer does not wait for its end."""
    return service.demo(**asked.model_dump())


@router.get("/programs", response_model=FoundPrograms)
def find_programs(
    service: Using,
    folder: Annotated[str | None, Query(max_length=4000, description="Else the server's own")] = None,
    spec: Annotated[str | None, Query(max_length=4000, description="Only the program that it names")] = None,
) -> Document:
    """The programs in a folder, each with a guess of how it is run; nothing is imported or executed."""
    return service.programs(folder, spec)


@router.get("/runs/{run}", response_model=RunInfo)
def get_run(service: Using, run: RunId) -> Document:
    """One run: status, input, output, counts, and what is held while it lives."""
    return service.info(run)


@router.patch("/runs/{run}", response_model=RunInfo)
def rename_run(service: Using, run: RunId, asked: RenameRequest) -> Document:
    """Call a run something else; its number stays."""
    return service.rename(run, asked.name)


@router.delete("/runs/{run}", response_model=Deleted)
def delete_run(service: Using, run: RunId) -> Document:
    """Remove a run that has ended and has no forks."""
    return service.delete(run)


@router.post("/runs/{run}/fork", status_code=201, response_model=RunInfo)
def fork_run(service: Using, run: RunId, asked: ForkRequest) -> Document:
    """Go on from a record of a run in a new one, with edits."""
    fields = asked.model_dump(exclude={"edits"})
    return service.fork(run, edits=[edit.model_dump(exclude_unset=True) for edit in asked.edits], **fields)


@router.post("/mocks", response_model_exclude_unset=True)
def read_mocks_file(asked: MocksRequest) -> MocksRead:
    """The edits that a file of mocks stands for; what is wrong with it is said by entry.  Nothing is kept."""
    found = read_mocks(asked.document, "the file")
    return MocksRead(edits=[Edit.model_validate(edit) for edit in found.edits], live=list(found.live))


@router.get("/runs/{run}/records", responses={200: {"model": RecordPage}})
def list_records(
    *,
    service: Using,
    run: RunId,
    after: After = -1,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE)] = PAGE,
    kind: Annotated[str | None, Query(description="A kind of record or of invocation")] = None,
    component: Annotated[str | None, Query(description="A path")] = None,
    bodies: Annotated[bool, Query(description="With what the records refer to")] = False,
) -> Response:
    """The records of a run with numbers between `after` and `before`, in order."""
    total = service.info(run, counted=False)["records"]
    if kind is component is None:  # numbers have no holes, so this is where it ends
        before = min(after + limit + 2, before if before is not None else total)
    shown = service.show(
        run, after=after, before=before, kind=kind, component=component, bodies=bodies, limit=limit + 1
    )
    found = list(shown)
    records = [slim(record) for record in found[:limit]]
    return Plain({"run": run, "total": total, "more": len(found) > limit, "records": records})


@router.get("/runs/{run}/pick", responses={200: {"model": Picked}})
def pick_records(
    service: Using,
    run: RunId,
    seqs: Numbers,
) -> Response:
    """Records by their numbers, each with a glance at what was said."""
    picked = service.pick(run, _numbers(seqs))
    return Plain({**picked, "records": [slim(record) for record in picked["records"]]})


@router.get("/runs/{run}/gists", responses={200: {"model": Gists}})
def get_gists(service: Using, run: RunId, seqs: Numbers) -> Response:
    """What is new in records by their numbers: of those that say much, what the same component did not say before."""
    return Plain(service.gists(run, _numbers(seqs)))


def _numbers(seqs: str) -> list[int]:
    try:
        return [int(number) for number in seqs.split(",") if number]
    except ValueError:
        raise WrongUse(f"seqs={seqs[:40]!r} is no list of numbers; it is written as in seqs=3,4,17") from None


@router.get("/runs/{run}/outline", responses={200: {"model": RecordsOutline}})
def outline_run(
    service: Using,
    run: RunId,
    after: After = -1,
    limit: Annotated[int, Query(ge=1, le=LONGEST_OUTLINE)] = LONGEST_OUTLINE,
) -> Response:
    """What each record over `after` is about, in columns: a whole long run in a few hundred kilobytes."""
    return Plain(service.outline(run, after, limit))


@router.get("/bodies/{hash}", responses={200: {"model": Body}})
def get_body(service: Using, hash: str) -> Response:
    """The value of a body."""
    return Plain(service.body(hash), headers={"Cache-Control": FOREVER})


@router.get("/runs/{run}/console", response_model=Console)
def get_console(service: Using, run: RunId, after: After = -1) -> Document:
    """What the process of a run printed after part `after`."""
    return service.console(run, after)


@router.get("/runs/{run}/tree")
def get_run_tree(service: Using, run: RunId) -> list[RunBranch]:
    """The tree that a run belongs to, as a list: each run is followed by its forks."""
    return list(serializers.branches(service.tree(run)))


@router.get("/tree")
def get_tree(service: Using) -> list[RunBranch]:
    """All runs, as a list of trees: each run is followed by its forks."""
    return list(serializers.branches(service.tree()))


@router.get("/diff", response_model=Difference)
def diff_runs(
    *,
    service: Using,
    a: str,
    b: str,
    alike: Annotated[bool, Query(description="With the records of what is the same")] = False,
) -> Document:
    """How two runs differ, aligned by identity, never by position."""
    return service.diff(a, b, alike)


@router.get("/runs/{run}/report", response_model=Report)
def report_run(service: Using, run: RunId) -> Document:
    """What a fork executed, served from the record, mocked, did not reach; and what that saved."""
    return service.report(run)


@router.get("/runs/{run}/code", response_model=Code)
def code_of_run(service: Using, run: RunId) -> Document:
    """The program's own files that a run imported, and which have changed since, and since its parent.

    A WebSocket at the same address pushes this, in arrays, whenever one of the files is saved.
    """
    return service.code(run)


@router.get("/runs/{run}/trace", response_model=Trace)
def trace_run(
    *,
    service: Using,
    run: RunId,
    form: Annotated[Literal["tree", "line"], Query(description="What encloses what, or in time order")] = "tree",
    since: Annotated[float | None, Query(description="Seconds from the run's start")] = None,
    until: Annotated[float | None, Query(description="Seconds from the run's start")] = None,
    limit: Annotated[int | None, Query(ge=1)] = None,
) -> Document:
    """Invocations, spans and events of a run, of all its time or of what goes on between `since` and `until`."""
    return service.trace(run, form=form, since=since, until=until, limit=limit)


@router.get("/runs/{run}/describe", response_model=Description)
def describe_run(service: Using, run: RunId) -> Document:
    """The target of a run: graph, settings, what each component accepts; `source` says who told."""
    return service.describe(run)


@router.post("/runs/{run}/describe", response_model=Description)
def describe_built(
    service: Using,
    run: RunId,
    trust: Annotated[bool, Query(description="Start the program of a run that came in a file")] = False,
) -> Document:
    """The same of the target as it is now: it is built in a process of its own, without running it, and asked."""
    return service.describe_built(run, trust=trust)


@router.post("/describe", response_model=Description)
def describe_spec(service: Using, asked: DescribeRequest) -> Document:
    """The target that a spec names, built but not run; nothing is kept."""
    return service.describe_spec(**asked.model_dump())
