"""The coder's policy: it turns the web surfer's figures into a snippet that checks them against each other.

The check is honest and shallow: it finds figures that cannot be true, not figures of the wrong player.
"""

from collections.abc import Sequence

from autogen_core.models import LLMMessage

from .reading import COULD_NOT, Figures, Reply, Say, reports

_SNIPPET = """```python
player, at_bats, walks = {player!r}, {at_bats}, {walks}

# A walk is no at bat, so the two add up to turns at the plate without counting any twice.
turns = at_bats + walks
assert 0 < walks < at_bats, "no regular player walks more often than he bats"
print(f"{{player}}: {{at_bats}} at bats, {{walks}} walks, a walk in {{walks / turns:.1%}} of {{turns}} turns")
```"""


def coder(messages: Sequence[LLMMessage]) -> Reply:
    """Write the check for the latest figures that anyone reported."""
    found = [figures for _, report in reports(messages) if (figures := Figures.read(report))]
    if not found or found[-1].walks is None:
        return Say(f"{COULD_NOT} write the check: nobody has reported both walks and at bats.")
    figures = found[-1]
    code = _SNIPPET.format(player=figures.player, at_bats=figures.at_bats, walks=figures.walks)
    return Say(f"This checks the two figures against each other:\n\n{code}")
