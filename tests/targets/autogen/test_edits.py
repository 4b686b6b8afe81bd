"""Messages that are edited, dropped, moved and sent: in a fork, and while they wait in a live program."""

from __future__ import annotations

import pytest

pytest.importorskip("autogen_core")

from outtake_probe.commands import BadValue
from outtake_probe.conditions import Breakpoint
from outtake_probe.edits import Edit
from outtake_probe.gate.decision import Stance
from outtake_probe.records import InvocationEnded, InvocationStarted, Json, MessageDropped, MessageQueued
from tests.probe.inprocess import Log
from tests.targets.autogen import programs
from tests.targets.autogen.debugging import User, debug, of_team, queued, record, started

pytestmark = pytest.mark.filterwarnings("ignore:No approval function")
ROUND = of_team(programs.round_robin)


def test_an_edited_response_is_what_everybody_says_afterwards() -> None:
    parent = record(ROUND)
    first = queued(parent, "team/manager", "GroupChatAgentResponse", sender="team/ann")[0]
    fork = record(
        ROUND, parent=parent, cut=first.seq, edits=[Edit(op="replace_message", seq=first.seq, value="EDITED")]
    )
    assert fork.status == "completed"
    said = [text for _, source, text in fork.output[:-1] if source == "ann"]
    assert "EDITED" in said
    original = next(text for _, source, text in parent.output[:-1] if source == "ann" and text.startswith("ann:"))
    assert original not in [text for _, _, text in fork.output[:-1]]
    prompt = fork.body(started(fork, "team/bob/model")[0].body)
    assert prompt["messages"][-1]["content"] == "EDITED"


def test_only_what_the_edit_touched_is_executed() -> None:
    parent = record(ROUND)
    last = queued(parent, "team/manager", "GroupChatAgentResponse")[-2]
    programs.CALLS.clear()
    edit = Edit(op="replace_message", seq=last.seq, value={"content": "changed"})
    fork = record(ROUND, parent=parent, cut=0, edits=[edit])
    assert fork.status == "completed"
    executed = [r for r in fork.records if isinstance(r, InvocationEnded) and r.call == "model" and r.how == "executed"]
    assert sum(programs.CALLS.values()) == len(executed) == 1


def test_a_live_edit_of_a_queued_response_changes_team_manager_and_result() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatAgentResponse")
        user.command("edit", message=held["message"], value={"content": "EDITED LIVE"})
        user.step(held)

    log = debug(ROUND, script)
    assert log.status == "completed"
    assert "EDITED LIVE" in [text for _, source, text in log.output[:-1] if source == "ann"]
    bob = log.body(started(log, "team/bob", "GroupChatAgentResponse")[0].body)
    assert bob["response"]["chat_message"]["content"] == "EDITED LIVE"
    manager = log.body(started(log, "team/manager", "GroupChatAgentResponse")[0].body)
    assert manager["response"]["chat_message"]["content"] == "EDITED LIVE"
    prompt = log.body(started(log, "team/bob/model")[0].body)
    assert prompt["messages"][-1]["content"] == "EDITED LIVE"


@pytest.mark.parametrize("step", [3, 7])
def test_a_run_with_live_commands_is_replayed_at_any_record(step: int) -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatAgentResponse")
        user.command("edit", message=held["message"], value="edited")
        user.step(held)
        user.command("configure", component="team/bob", key="system_message", value="You are Robert.")
        held = user.until("team/ann", "GroupChatAgentResponse")
        user.command("send", component="team/ann", type="TextMessage", value="by the way")
        user.command("drop", message=held["message"])

    parent = debug(ROUND, script)
    assert parent.status == "completed"
    for cut in range(0, len(parent.records) + 1, step):
        programs.CALLS.clear()
        fork = record(ROUND, parent=parent, cut=cut)
        assert (fork.status, fork.output) == (parent.status, parent.output), cut
        assert not programs.CALLS, cut


def test_a_value_that_does_not_fit_is_refused_with_the_schema() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatAgentResponse")
        for value in ({"content": 7}, {"nonsense": 1}, 5, {"response": {"chat_message": {"type": "NoSuchMessage"}}}):
            with pytest.raises(BadValue) as refused:
                user.command("edit", message=held["message"], value=value)
            assert refused.value.schema["title"] == "GroupChatAgentResponse"
        with pytest.raises(BadValue, match="not queued any more"):
            user.command("edit", message=0, value="x")

    assert debug(ROUND, script).output == record(ROUND).output


def test_another_type_of_message_takes_the_place_of_the_first() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatAgentResponse")
        user.command("edit", message=held["message"], value={"type": "StopMessage", "content": "enough"})

    log = debug(ROUND, script)
    assert ["StopMessage", "ann", "enough"] in log.output


def test_a_dropped_message_is_not_delivered() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatAgentResponse")
        user.command("drop", message=held["message"])

    log = debug(ROUND, script)
    dropped = next(r for r in log.records if isinstance(r, MessageDropped))
    assert not [r for r in log.records if isinstance(r, InvocationStarted) and r.message == dropped.message]
    prompt = log.body(started(log, "team/bob/model")[0].body)
    assert [m["content"] for m in prompt["messages"][1:]] == ["go"]


def test_a_program_whose_last_message_is_dropped_waits_for_the_user() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatRequestPublish")
        user.command("drop", message=held["message"])
        user.command("send", component="team/bob", type="GroupChatRequestPublish", value={})
        user.until("team/bob", "GroupChatRequestPublish")

    assert debug(ROUND, script).output == record(ROUND).output


def test_without_a_message_the_team_ends() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatRequestPublish")
        user.command("drop", message=held["message"])

    assert debug(ROUND, script).output[-1] == ["stop", "The group chat is stopped."]


def test_a_moved_message_is_delivered_in_its_new_place() -> None:
    def script(user: User) -> None:
        held = user.until("team/bob", "GroupChatAgentResponse")
        user.command("move", message=held["message"], before=None)
        after = user.next()
        assert after is not None and after["component"] == "team/manager"
        order.extend([after["message"], held["message"]])
        user.step(after)

    order: list[int] = []
    log = debug(ROUND, script)
    delivered = [r.message for r in log.records if isinstance(r, InvocationStarted) and r.message in order]
    assert delivered == order
    for cut in range(0, len(log.records) + 1, 5):
        fork = record(ROUND, parent=log, cut=cut)
        assert (fork.status, fork.output) == (log.status, log.output), cut


def test_messages_are_delivered_one_at_a_time_while_stepping() -> None:
    def script(user: User) -> None:
        while (held := user.next()) is not None:
            deliveries = [h for h in user.session.holds.values() if h.fields["call"] == "agent"]
            assert len(deliveries) <= 1
            user.step(held)

    program = of_team(programs.graph)
    log = debug(program, script)
    assert log.output == record(program).output


def test_an_agent_that_is_held_keeps_back_only_itself() -> None:
    """While b is held in its turn, c takes its own, and its answer arrives at the others."""

    def script(user: User) -> None:
        held = user.next()
        while held is not None and held["component"] != "team/b":
            user.step(held)
            held = user.next()
        assert held is not None
        other = user.next()
        assert other is not None and other["component"] == "team/manager"
        assert held["hold"] in user.session.holds
        user.step(other)
        user.step(held)

    program = of_team(programs.graph)
    points = [Breakpoint("agent:b and message:GroupChatRequestPublish", 1)]
    points.append(Breakpoint('agent:manager and text~"c:" and message:GroupChatAgentResponse', 2))
    log = debug(program, script, stance=Stance(breakpoints=points))
    assert log.status == "completed"
    assert [source for _, source, _ in log.output[:4]] == ["user", "a", "c", "b"]
    for cut in range(0, len(log.records) + 1, 11):
        fork = record(program, parent=log, cut=cut)
        assert (fork.status, fork.output) == (log.status, log.output), cut


def test_a_message_to_a_topic_is_heard_by_every_member() -> None:
    def script(user: User) -> None:
        user.until("team/ann", "GroupChatRequestPublish")
        user.command("send", component="topic:team", type="", value="hear me")

    log = debug(ROUND, script)
    injected = {r.recipient for r in log.records if isinstance(r, MessageQueued) and r.injected}
    assert injected == {"team/ann", "team/bob", "team/manager"}
    assert ["TextMessage", "user", "hear me"] in log.output
    for name in ("ann", "bob"):
        prompts = [log.body(r.body)["messages"] for r in started(log, f"team/{name}/model")]
        assert any(m["content"] == "hear me" for prompt in prompts for m in prompt)


def test_what_nobody_accepts_is_refused() -> None:
    def script(user: User) -> None:
        user.until("team/ann", "GroupChatRequestPublish")
        for component, type, message in (
            ("team/nobody", "", "there is no agent 'team/nobody'; known: .*team/ann"),
            ("topic:nothing", "", "nobody listens to topic 'nothing'; known: .*team"),
            ("team/ann", "Number", "type 'Number' is not accepted; accepted: .*TextMessage"),
        ):
            with pytest.raises(BadValue, match=message):
                user.command("send", component=component, type=type, value="x")

    debug(ROUND, script)


def test_a_mocked_turn_says_the_mock() -> None:
    parent = record(ROUND)
    turn = started(parent, "team/bob", "GroupChatRequestPublish")[0]
    programs.CALLS.clear()
    edit = Edit(op="mock_output", seq=turn.seq, value="MOCKED")
    fork = record(ROUND, parent=parent, cut=turn.seq, edits=[edit])
    assert ["TextMessage", "bob", "MOCKED"] in fork.output
    again = record(ROUND, parent=fork)
    assert (again.status, again.output) == (fork.status, fork.output)


@pytest.mark.parametrize("name", [name for name in programs.TEAMS if name != "user_proxy"])
def test_an_edited_message_has_the_effect_it_would_have_had(name: str) -> None:
    """A fork with an edited or dropped message goes the way of a fresh run with that change."""
    program = of_team(programs.TEAMS[name])
    parent = record(program)
    for message in [r for r in parent.records if isinstance(r, MessageQueued)][::9]:
        edit = _some_edit(parent, message)
        if edit is not None:
            fork = record(program, parent=parent, cut=message.seq, edits=[edit])
            fresh = record(program, parent=parent, edits=[edit], reuse="none")
            assert (fork.status, fork.output) == (fresh.status, fresh.output), edit
            again = record(program, parent=fork)
            assert (again.status, again.output) == (fork.status, fork.output), edit


_TALK = ("GroupChatStart", "GroupChatMessage", "GroupChatAgentResponse", "GroupChatTeamResponse")


def _some_edit(parent: Log, message: MessageQueued) -> Edit | None:
    """An edit of the message in its chat message's text, or a drop where it has none."""
    sent = [r.seq for r in parent.records if isinstance(r, MessageQueued) and r.component == message.component]
    where: dict[str, Json] = {
        "seq": message.seq,
        "component": message.component,
        "call": "message",
        "occurrence": 1 + sent.index(message.seq),
    }
    if message.type == "GroupChatRequestPublish":
        return Edit(op="drop", **where)
    said = parent.body(message.body).get("message", {})
    if message.type in _TALK and isinstance(said.get("content", ""), str):
        return Edit(op="replace_message", value={"content": "edited 07"}, **where)
    return None
