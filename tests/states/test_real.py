"""A fork in the middle, with an edit: what is really called then finds the right page, folder, rows and variables."""

from __future__ import annotations

from typing import Any

import pytest

from tests.states.conftest import Ground
from tests.states.programs import (
    AUTOGEN_BROWSER,
    AUTOGEN_CODE,
    AUTOGEN_MCP,
    KERNEL,
    LANGGRAPH_BROWSER,
    MCP_SERVER,
    PLAIN,
)


def asked(name: str, given: str) -> dict[str, Any]:
    """What a model of AutoGen answers that asks for one tool."""
    call = {"id": "9", "name": name, "arguments": given}
    return {"finish_reason": "function_calls", "content": [call], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


def outputs(ground: Ground, run: str, cut: int) -> str:
    """All that tools gave after the cut, as text."""
    ends = ground.service.show(run, kind="tool", after=cut - 1, bodies=True)
    return " | ".join(str(r.get("output")) for r in ends if r["kind"] == "invocation_ended")


@pytest.mark.timeout(300)
def test_a_browser_in_an_autogen_team_is_on_the_right_page(site: Ground) -> None:
    parent = site.run(AUTOGEN_BROWSER, "go")
    at = site.starts(parent["run"], "surfer/model")[3]  # the fourth question: what after the first song
    answer = asked("click", '{"what": "sing"}')
    fork = site.fork(parent["run"], at, [{"op": "mock_output", "seq": at, "value": answer}])
    assert fork["restored"] == [{"state": "browser", "loaded": 0, "repeated": 3, "skipped": 0, "different": 0}]
    assert "Wren!!" in outputs(site, fork["run"], at)
    assert site.executed(fork["run"], at)[0] == "click"
    again = site.fork(parent["run"], at, [])
    assert again["restored"] == []
    assert site.executed(again["run"], at) == []


@pytest.mark.timeout(300)
def test_a_browser_in_tools_of_langgraph_is_on_the_right_page(site: Ground) -> None:
    parent = site.run(LANGGRAPH_BROWSER, {"messages": [{"role": "user", "content": "go"}]})
    at = site.starts(parent["run"], "think/model")[3]
    call = {"name": "click", "args": {"what": "sing"}, "id": "9", "type": "tool_call"}
    answer = {"type": "ai", "content": "", "tool_calls": [call]}
    fork = site.fork(parent["run"], at, [{"op": "mock_output", "seq": at, "value": answer}])
    assert fork["restored"] == [{"state": "browser", "loaded": 0, "repeated": 3, "skipped": 0, "different": 0}]
    assert "Wren!!" in outputs(site, fork["run"], at)
    again = site.fork(parent["run"], at, [])
    assert again["restored"] == []
    assert site.executed(again["run"], at) == []


@pytest.mark.timeout(300)
def test_an_mcp_server_process_knows_what_it_was_told(ground: Ground) -> None:
    parent = ground.run(AUTOGEN_MCP, "go", server_py=MCP_SERVER)
    at = ground.starts(parent["run"], "surfer/model")[2]
    fork = ground.fork(parent["run"], at, [{"op": "mock_output", "seq": at, "value": asked("get", '{"name": "b"}')}])
    assert [(found["repeated"], found["different"]) for found in fork["restored"]] == [(2, 0)]
    assert "owl" in outputs(ground, fork["run"], at)


@pytest.mark.timeout(300)
def test_a_code_executor_has_the_files_that_were_written(ground: Ground) -> None:
    parent = ground.run(AUTOGEN_CODE, "go")
    at = ground.starts(parent["run"], "surfer/model")[1]
    code = asked("CodeExecutor", '{"code": "print(open(\'a.txt\').read())"}')
    fork = ground.fork(parent["run"], at, [{"op": "mock_output", "seq": at, "value": code}])
    assert [(found["repeated"], found["different"]) for found in fork["restored"]] == [(1, 0)]
    assert "wren" in outputs(ground, fork["run"], at)


@pytest.mark.timeout(300)
def test_a_jupyter_kernel_has_its_variables(ground: Ground) -> None:
    parent = ground.run(KERNEL)
    assert parent["output"] == "21"
    at = ground.starts(parent["run"], "think")[0]
    code = "print(x * 2, math.floor(2.5))"
    fork = ground.fork(parent["run"], at, [{"op": "mock_output", "seq": at, "value": code}])
    assert fork["output"] == "42 2"
    assert fork["restored"][0]["repeated"] == 2


@pytest.mark.timeout(300)
def test_a_shell_and_a_connection_that_the_user_names(ground: Ground) -> None:
    (ground.folder / "outtake.toml").write_text('[state]\nrun = "shell"\nquery = "database"\n')
    parent = ground.run(PLAIN)
    at = ground.starts(parent["run"], "think")[0]
    fork = ground.fork(parent["run"], at, [{"op": "mock_output", "seq": at, "value": "look"}])
    assert fork["output"] == ["/usr\nwren", [{"$type": "tuple", "items": ["owl"]}]]
    assert [(s["state"], s["repeated"]) for s in fork["restored"]] == [("database", 2), ("shell", 1)]
    steps = ground.service.report(fork["run"])["restored"]
    assert [(s["component"], s["how"], s["same"]) for s in steps] == [
        ("main/run", "repeated", True),
        ("main/query", "repeated", True),
        ("main/query", "repeated", True),
    ]
