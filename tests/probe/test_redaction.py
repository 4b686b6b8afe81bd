"""Redaction: what is a secret and what is none, in texts, values and pieces."""

from __future__ import annotations

import base64
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outtake_probe.bodies import Bodies, resolve
from outtake_probe.records import Json
from outtake_probe.redaction.names import telling
from outtake_probe.redaction.pieces import Printed, Stream, cleaned_list
from outtake_probe.redaction.text import MARK, Cleaner

SECRET = "Zq7!hunter2+xyz/91kQ"
CLEAN = Cleaner([], {"SERVICE_API_KEY": SECRET, "DATABASE_URL": "postgres://me:pa55wordX@host/db", "HOME": "/home/me"})


def kept(value: Json, clean: Cleaner = CLEAN) -> Json:
    bodies = Bodies(clean)
    name = bodies.put(value)
    found = resolve(name, dict(bodies.take()).__getitem__)
    assert bodies.cleaned(value) == found, "what is told and what is stored are cleaned alike"
    return found


@pytest.mark.parametrize(
    "name", ["X-Api-Key", "apiKey", "OPENAI_API_KEY", "password", "Cookie", "accessToken", "Secret"]
)
def test_what_stands_under_a_telling_name_is_redacted(name: str) -> None:
    value = {name: "short", "list": {name: ["a", "b"]}, "bytes": {name: {"$type": "bytes", "base64": "YWJj"}}}
    assert kept(value) == {name: MARK, "list": {name: [MARK, MARK]}, "bytes": {name: MARK}}
    pairs = [[name, "Basic dXNlcjpwYXNz1"], {"name": name, "value": "v"}]
    assert kept(pairs) == [[name, MARK], {"name": name, "value": MARK}]
    once = json.dumps({name: "abc def 1"})
    for text in (once, json.dumps({"body": once}), json.dumps(json.dumps({"body": once}))):
        assert "abc def 1" not in kept(text)
        assert MARK in kept(text)
    assert kept(f"{name}=abcdef123&next=1") == f"{name}={MARK}&next=1"


@pytest.mark.parametrize(
    "value",
    [
        {"max_tokens": 4096, "tokens": ["a", "b"], "usage": {"prompt_tokens": 3}, "token_count": "12345678"},
        {
            "next_page_token": "CAUQAA-123456",
            "memory_key": "chat_history",
            "key": "a-long-key-1",
            "keyboard": "qwertz-12",
        },
        {"required": ["token", "name"], "properties": {"token": {"type": "string"}, "password": {"type": "string"}}},
        {"token": "understanding", "stop_token": "<|end-of-text-1|>"},
        "The token: a unit of text. A password should have 12 characters; keys are in the drawer.",
        'api_key = os.environ["OPENAI_KEY1"]\ntoken = next(tokens)\npassword = config.password1\n',
        "task-management-is-a-long-compound-word, and so is disk-abcdefghijklmnopqrst",
        'schema: {"password": "string", "token": "required"}',
    ],
)
def test_what_is_no_secret_stays(value: Json) -> None:
    assert kept(value) == value


@pytest.mark.parametrize(
    "key",
    [
        "sk-" + "a1" * 20, "ghp_" + "a1" * 18, "glpat-" + "a1" * 10, "AKIA" + "A1" * 8, "AIza" + "a1" * 17 + "b",
        "xoxb-123456789-" + "a1" * 8, "hf_" + "aB" * 17, "gsk_" + "aB" * 20, "sk_live_" + "aB" * 12,
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "npm_" + "aB" * 18, "Bearer " + "a1" * 8,
        "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----",
    ],
)  # fmt: skip
def test_keys_of_well_known_forms_are_redacted(key: str) -> None:
    assert kept(f"use {key}, please") == f"use {MARK}, please"
    assert kept({key: 1}) == {MARK: 1}
    assert kept([key[:7], key[7:], " z"])[0].endswith(MARK)
    assert key.rsplit(maxsplit=1)[-1][4:12] not in "".join(kept([key[:7], key[7:], " z"]))
    data = {"$type": "bytes", "base64": base64.b64encode(f"it is {key}".encode()).decode()}
    assert base64.b64decode(kept(data)["base64"]).decode() == f"it is {MARK}"


@given(st.binary(max_size=5), st.binary(max_size=5))
def test_a_known_secret_is_found_in_other_forms(before: bytes, after: bytes) -> None:
    encoded = base64.b64encode(before + SECRET.encode() + after).decode()
    core = base64.b64encode(SECRET.encode()[3:15]).decode()
    for text in (encoded, encoded.replace("+", "-").replace("/", "_")):
        assert MARK in CLEAN(text)
        assert core not in CLEAN(text)
    for text in (
        SECRET.encode().hex(),
        urllib.parse.quote(SECRET, safe=""),
        json.dumps(SECRET)[1:-1],
        SECRET[:-3],
        SECRET[3:],
    ):
        assert CLEAN(f"x {text} y") == f"x {MARK} y"
    assert CLEAN("the word pa55wordX") == f"the word {MARK}"


def test_two_secrets_as_keys_are_told_apart() -> None:
    assert kept({SECRET: 1, "sk-" + "a1" * 10: 2}) == {MARK: 1, f"{MARK} 2": 2}


def test_a_variable_that_is_set_later_is_a_secret_from_then_on() -> None:
    clean = Cleaner()
    bodies = Bodies(clean)
    said = f"the value {SECRET}, in a text that is long enough for a node of its own " * 5
    before = bodies.put(said)
    clean.learn("MY_TOKEN", SECRET)
    assert bodies.put(said) != before
    assert SECRET not in json.dumps(bodies.cleaned({SECRET: SECRET}))


def test_equal_texts_have_equal_digests_whatever_the_secret_is() -> None:
    digests = set()
    for secret in ("first-secret-1", "another-secret-22"):
        digests.add(Bodies(Cleaner([], {"MY_KEY": secret})).put({"say": f"it is {secret}", "password": secret}))
    assert len(digests) == 1


@given(st.data())
def test_a_secret_split_over_a_stream_is_in_no_piece(data: st.DataObject) -> None:
    secret = data.draw(st.sampled_from([SECRET, "sk-" + "a1" * 12, "xoxb-" + "a1" * 12]))
    text = f"so my key is {secret} and this is harmless"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=20)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    pieces: list[Json] = [{"id": "piece-of-1", "delta": {"content": part}} for part in parts]
    whole = cleaned_list(CLEAN, pieces)
    assert len(whole) == len(pieces)
    assert "".join(piece["delta"]["content"] for piece in whole) == f"so my key is {MARK} and this is harmless"
    stream, went, waiting = Stream(CLEAN), [], []
    for n, piece in enumerate(pieces):
        waiting.append(piece)
        if data.draw(st.booleans()):  # a record comes between: what waits goes out
            went += stream.take(waiting, is_last=n == len(pieces) - 1)
            waiting = []
    went += stream.take(waiting, is_last=True)
    said = "".join(piece["delta"]["content"] for piece in went)
    assert len(went) == len(pieces)
    assert secret[4:] not in said
    assert secret[len(secret) // 2 :] not in said
    assert said.endswith(" and this is harmless")


@given(st.lists(st.integers(1, 30), min_size=1, max_size=30))
def test_what_is_printed_in_parts_is_clean(sizes: list[int]) -> None:
    text = f"one line\nthe key {SECRET} and more\n" * 3
    printed, said, at = Printed(CLEAN), "", 0
    for size in sizes:
        said += printed.add(text[at : at + size])
        at += size
    said += printed.add(text[at:]) + printed.add("", is_last=True)
    assert SECRET[5:] not in said
    assert said.endswith("and more\n")
    assert said.count("one line\n") == 3


def test_what_names_tell() -> None:
    surely = ("apiKey", "X-API-KEY", "client_secret", "db.password", "Set-Cookie", "refresh_token", "connectionString")
    assert {telling(name) for name in surely} == {"surely"}
    assert {
        telling(name) for name in ("max_tokens", "key", "keyboard", "pad_token", "next_page_token", "tokenizer")
    } == {""}
    assert telling("token") == "perhaps"
