"""The outline says of each record what the record says, in columns."""

from hypothesis import given
from hypothesis import strategies as st

from outtake.store.outline import FIELDS, FLAGS, Outline, outline
from outtake.store.rows import KIND_NAMES, to_row
from outtake.store.tables import records
from outtake_probe.records import CALL_KINDS, KINDS, Json

NAMES = st.sampled_from(["team", "team/coder", "team/coder/tools/search", "user"])
KIND = st.sampled_from([kind for kind in KINDS if kind not in ("invocation_started", "invocation_ended")])


@st.composite
def logs(draw: st.DrawFn) -> list[dict[str, Json]]:
    """Records that follow each other, from any number on."""
    first, at = draw(st.integers(0, 50)), draw(st.floats(1e9, 2e9))
    log: list[dict[str, Json]] = []
    for seq in range(first, first + draw(st.integers(0, 20))):
        at += draw(st.integers(0, 5000)) / 1000
        record: dict[str, Json] = {"seq": seq, "kind": draw(KIND), "at": at, "component": draw(NAMES)}
        if draw(st.booleans()):
            record |= {"kind": "invocation_ended", "call": draw(st.sampled_from(CALL_KINDS)), "how": "mocked"}
        for name in ("invocation", "parent", "message", "span"):
            if seq and draw(st.booleans()):
                record[name] = draw(st.integers(0, seq - 1))
        record |= {flag: True for flag in ("failed", "edited") if draw(st.booleans())}
        log.append(record)
    return log


def outlined(log: list[dict[str, Json]], first: int) -> Outline:
    """The outline of records as it is read out of their rows."""
    paths: list[str] = []

    def number(path: str) -> int:
        if path not in paths:
            paths.append(path)
        return paths.index(path)

    places = [list(records.columns.keys()).index(name) for name in FIELDS]
    rows = [to_row(1, record, number) for record in log]
    return outline([[row[place] for place in places] for row in rows], first, lambda n: paths[n])


@given(logs())
def test_the_columns_give_the_records_back(log: list[dict[str, Json]]) -> None:
    first = log[0]["seq"] if log else 7
    made = outlined(log, first)
    assert (made.first, len(made)) == (first, len(log))
    columns, at, parent = made.columns, made.origin, -1
    for row, record in enumerate(log):
        at += columns["at"][row] / 1000
        assert abs(at - record["at"]) < 0.002
        assert KIND_NAMES[columns["kind"][row]] == record["kind"]
        assert made.names[columns["component"][row]] == record["component"]
        parent += columns["parent"][row]
        assert record.get("parent", -1) == parent
        for name in ("invocation", "message", "span"):
            back = columns[name][row]
            assert record.get(name) == (record["seq"] - back if back else None)
        call = columns["call"][row]
        assert record.get("call") == (CALL_KINDS[call] if call >= 0 else None)
        told = {flag for bit, flag in enumerate(FLAGS) if columns["flags"][row] >> bit & 1}
        expected = {flag for flag in ("failed", "edited") if record.get(flag)} | {"empty"}
        assert told == expected | ({"mocked"} if record.get("how") == "mocked" else set())
    assert {len(column) for column in columns.values()} == {len(log)}
