"""Settings that are not shown: by the type of their value, and by their names."""

from __future__ import annotations

import pytest

from outtake_probe.targets.toolkit.secret_names import is_secret, is_secret_field


class Secret:
    def get_secret_value(self) -> str:
        return "sk-1"


@pytest.mark.parametrize(
    "name", ["api_key", "OPENAI_API_KEY", "azure_ad_token", "extra_headers", "signing_key", "jwt_token"]
)
def test_a_setting_is_a_secret_by_its_name(name: str) -> None:
    assert is_secret(name, "x")
    assert is_secret_field(name)


@pytest.mark.parametrize("name", ["temperature", "max_tokens", "token_limit", "model", ""])
def test_other_settings_are_shown(name: str) -> None:
    assert not is_secret(name, "x")
    assert not is_secret_field(name)


def test_a_setting_is_a_secret_by_its_type() -> None:
    assert is_secret("temperature", Secret())
    assert is_secret("temperature", Secret(), text_only=True)


def test_a_name_that_only_ends_like_a_secret_may_need_a_text() -> None:
    assert is_secret("extra_headers", {"User-Agent": "x"})
    assert not is_secret("extra_headers", {"User-Agent": "x"}, text_only=True)
    assert is_secret("extra_headers", "x", text_only=True)
    assert is_secret("api_key", 1, text_only=True)


def test_a_field_is_a_secret_wherever_the_word_stands() -> None:
    assert is_secret_field("key_file")
    assert is_secret_field("default_headers_factory")
    assert not is_secret("key_file", "x")
