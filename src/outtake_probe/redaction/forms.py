"""What the keys of well-known services look like, and other secrets that show by their form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_B = r"(?<![A-Za-z0-9])"
_W = r"[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"

FORMS: Mapping[str, str] = {
    # by what such a key begins with, or contains: the rest of it
    "sk-": rf"{_B}sk-{_W}{{16,}}",
    "sk_live_": rf"{_B}sk_live_{_W}{{10,}}",
    "sk_test_": rf"{_B}sk_test_{_W}{{10,}}",
    "rk_live_": rf"{_B}rk_live_{_W}{{10,}}",
    "rk_test_": rf"{_B}rk_test_{_W}{{10,}}",
    "whsec_": rf"{_B}whsec_[A-Za-z0-9+/=]{{16,}}",
    "ghp_": rf"{_B}ghp_{_W}{{20,}}",
    "gho_": rf"{_B}gho_{_W}{{20,}}",
    "ghu_": rf"{_B}ghu_{_W}{{20,}}",
    "ghs_": rf"{_B}ghs_{_W}{{20,}}",
    "ghr_": rf"{_B}ghr_{_W}{{20,}}",
    "github_pat_": rf"{_B}github_pat_{_W}{{20,}}",
    "glpat-": rf"{_B}glpat-[A-Za-z0-9_.-]{{16,}}",
    "gldt-": rf"{_B}gldt-{_W}{{16,}}",
    "glrt-": rf"{_B}glrt-{_W}{{16,}}",
    "glptt-": rf"{_B}glptt-{_W}{{16,}}",
    "AKIA": rf"{_B}AKIA[0-9A-Z]{{16}}(?![0-9A-Za-z])",
    "ASIA": rf"{_B}ASIA[0-9A-Z]{{16}}(?![0-9A-Za-z])",
    "AIza": rf"{_B}AIza{_W}{{30,}}",
    "GOCSPX-": rf"{_B}GOCSPX-{_W}{{20,}}",
    "ya29.": rf"{_B}ya29\.{_W}{{20,}}",
    "xox": rf"{_B}xox[abeoprs]-[A-Za-z0-9-]{{10,}}",
    "xapp-": rf"{_B}xapp-[A-Za-z0-9-]{{10,}}",
    "hooks.slack.com/": r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_+-]{16,}",
    "hf_": rf"{_B}hf_{_A}{{20,}}",
    "gsk_": rf"{_B}gsk_{_A}{{20,}}",
    "xai-": rf"{_B}xai-{_W}{{20,}}",
    "pplx-": rf"{_B}pplx-{_A}{{20,}}",
    "r8_": rf"{_B}r8_{_A}{{20,}}",
    "tvly-": rf"{_B}tvly-{_W}{{16,}}",
    "lsv2_": rf"{_B}lsv2_(?:pt|sk)_{_W}{{20,}}",
    "pcsk_": rf"{_B}pcsk_{_W}{{20,}}",
    "nvapi-": rf"{_B}nvapi-{_W}{{20,}}",
    "npm_": rf"{_B}npm_{_A}{{30,}}",
    "pypi-": rf"{_B}pypi-{_W}{{40,}}",
    "dop_v1_": rf"{_B}dop_v1_[a-f0-9]{{32,}}",
    "SG.": rf"{_B}SG\.{_W}{{16,}}\.{_W}{{16,}}",
    "SK": rf"{_B}SK[0-9a-f]{{32}}(?![0-9A-Za-z])",
    "key-": rf"{_B}key-[0-9a-f]{{32}}(?![0-9A-Za-z])",
    "shp": rf"{_B}shp(?:at|ss|ca|pa)_[a-fA-F0-9]{{32}}",
    "sq0": rf"{_B}sq0(?:atp|csp)-{_W}{{20,}}",
    ":AA": r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}",
    "lin_api_": rf"{_B}lin_api_{_A}{{20,}}",
    "ntn_": rf"{_B}ntn_{_A}{{30,}}",
    "dapi": rf"{_B}dapi[0-9a-f]{{32}}",
    "hvs.": rf"{_B}hvs\.{_W}{{20,}}",
    "glsa_": rf"{_B}glsa_{_A}{{20,}}",
    "sbp_": rf"{_B}sbp_[0-9a-f]{{30,}}",
    "AGE-SECRET-KEY-": r"AGE-SECRET-KEY-1[0-9A-Z]{40,}",
    "AccountKey=": r"AccountKey=[A-Za-z0-9+/=]{20,}",
    "SharedAccessKey=": r"SharedAccessKey=[A-Za-z0-9+/=]{20,}",
    "eyJ": rf"(?<![A-Za-z0-9_-])eyJ{_W}{{8,}}\.eyJ{_W}{{8,}}(?:\.{_W}*)?",
    "PRIVATE KEY": (
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r".*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
    ),
    "://": r"(?<=://)[^/\s:@\"'<>]*:[^/\s@\"'<>]{3,}(?=@)",
}
"""By a sign that a text with such a secret contains: looking for the signs is far cheaper than the search."""

BEARER = r"(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{12,}"


def open_at_end(signs: Sequence[str], text: str) -> int | None:
    """Where the last word of a text begins that has begun as such a secret, and may go on; None where none has."""
    begin = len(text)
    while begin and not text[begin - 1].isspace() and text[begin - 1] not in "\"'`<>(){}":
        begin -= 1
    word = text[begin:]
    found = [at for sign in signs if (at := word.find(sign)) >= 0]
    if found:
        return begin + min(found)
    key = text.rfind("-----BEGIN ")
    return key if key >= 0 and "-----END " not in text[key:] else None
