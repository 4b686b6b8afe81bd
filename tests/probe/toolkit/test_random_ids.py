"""Random ids: what counts as one, and the numbers that stand for them."""

from __future__ import annotations

import uuid

import pytest

from outtake_probe.targets.toolkit.random_ids import RandomIdNumbers, is_random_id

ONE, OTHER = uuid.UUID(int=1, version=4), uuid.UUID(int=2, version=4)


@pytest.mark.parametrize("text", [str(ONE), ONE.hex, str(ONE).upper(), ONE.hex.upper()])
def test_a_uuid_is_a_random_id(text: str) -> None:
    assert is_random_id(text)


@pytest.mark.parametrize("text", ["", "coder", f"coder_{ONE}", f"{ONE} ", ONE.hex[1:], f"{ONE.hex}0"])
def test_a_text_that_holds_more_or_less_is_none(text: str) -> None:
    assert not is_random_id(text)


def test_ids_are_numbered_in_order_of_appearance() -> None:
    numbers = RandomIdNumbers()
    assert numbers.replace_in(f"coder_{OTHER}/{OTHER}") == "coder_1/1"
    assert numbers.replace_in(f"topic_{ONE.hex}_{OTHER}") == "topic_2_1"


def test_each_program_counts_for_itself() -> None:
    assert RandomIdNumbers().replace_in(str(ONE)) == RandomIdNumbers().replace_in(str(OTHER)) == "1"
