"""Exports of LangSmith and Langfuse as runs."""

from __future__ import annotations

import json

import pytest

from outtake_probe.records import Json
from tests.importers.reading import calls, found, outline, recorded, sample

RUNS: list[Json] = [json.loads(line) for line in sample("langsmith.jsonl").splitlines()]


def as_tree() -> Json:
    root, planner, model, tool = (json.loads(json.dumps(run)) for run in RUNS)
    for run in (planner, model, tool):
        del run["parent_run_id"]
    return {**root, "child_runs": [{**planner, "child_runs": [model, tool]}]}


@pytest.mark.parametrize(
    "data",
    [sample("langsmith.jsonl"), *(json.dumps(held).encode() for held in (RUNS[::-1], {"runs": RUNS}, as_tree()))],
)
def test_runs_of_langsmith_are_calls_inside_calls(data: bytes) -> None:
    what = found(data)
    (made,) = recorded(what)
    assert what.importer.name == "LangSmith"
    planner = "LangGraph/planner"
    assert outline(made) == [
        "step of LangGraph",
        f"agent of {planner} in LangGraph",
        f"model of {planner}/ChatOpenAI in {planner}",
        f"end of {planner}/ChatOpenAI in {planner}",
        f"tool of {planner}/tools/weather in {planner}",
        f"failed {planner}/tools/weather in {planner}",
        f"end of {planner} in LangGraph",
        "end of LangGraph",
    ]
    (model,) = calls(made, "model")
    assert model["input"] == {
        "temperature": 0,
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "You plan trips."},
            {"role": "user", "content": "Is it warm?"},
        ],
        "tools": [{"type": "function", "function": {"name": "weather"}}],
    }
    (choice,) = model["output"]["choices"]
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Lisbon"}'}
    assert (model["tokens"], model["seconds"]) == ((11, 4), 1.0)
    (tool,) = calls(made, "tool")
    assert tool["output"]["class"] == "log:ConnectionError"
    (log,) = what.logs
    assert (log.input, log.output, log.told) == (
        {"question": "Is it warm in Lisbon?"},
        {"answer": "Yes."},
        {"session": "t-7"},
    )


TRACE: Json = json.loads(sample("langfuse.json"))


@pytest.mark.parametrize(
    "document",
    [
        TRACE,
        [TRACE],
        {"data": [TRACE]},
        {"trace": {**TRACE, "observations": None}, "observations": TRACE["observations"]},
    ],
)
def test_traces_of_langfuse_are_calls_inside_calls(document: Json) -> None:
    what = found(json.dumps(document).encode())
    (made,) = recorded(what)
    assert what.importer.name == "Langfuse"
    assert outline(made) == [
        "flow of trip",
        "agent of trip/planner in trip",
        "model of trip/planner/chat in trip/planner",
        "end of trip/planner/chat in trip/planner",
        "tool of trip/planner/tools/weather in trip/planner",
        "failed trip/planner/tools/weather in trip/planner",
        "step of trip/planner/cached in trip/planner",
        "end of trip/planner/cached in trip/planner",
        "end of trip/planner in trip",
        "end of trip",
    ]
    (model,) = calls(made, "model")
    assert model["input"] == {
        "temperature": 0,
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "Is it warm?"}],
    }
    assert model["output"]["choices"][0]["message"] == {"role": "assistant", "content": "Yes."}
    assert model["tokens"] == (11, 2)
    (log,) = what.logs
    assert (log.input, log.output) == ("Is it warm in Lisbon?", "Yes.")
    assert [note.text for note in made.notes] == ["helpful: 1 (short)"]


def test_observations_alone_are_a_run_for_each_trace() -> None:
    other = [
        {**one, "traceId": "tr-2", "id": f"{one['id']}-2", "parentObservationId": None} for one in TRACE["observations"]
    ]
    data = "\n".join(map(json.dumps, [*TRACE["observations"], *other])).encode()
    what = found(data)
    assert [log.told for log in what.logs] == [{"trace": "tr-1"}, {"trace": "tr-2"}]
    first, second = recorded(what)
    assert len(first.records) == len(second.records)
