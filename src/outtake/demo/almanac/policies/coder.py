"""The coder's policy: it turns the web surfer's figures into a snippet that checks them against each other.

The check is honest and shallow: it finds figures that cannot be true, not figures of the wrong player.
"""

from collections.abc import Sequence

from .reading import COULD_NOT, Figures, Message, Reply, Say, reports

_SNIPPET = """```python
player, at_bats, walks = {player!r}, {at_bats}, {walks}

# A walk is no at bat, so the two add up to turns at the plate without counting any twice.
turns = at_bats + walks
assert 0 < walks < at_bats, "no regular player walks more often than he bats"
print(f"{{player}}: {{at_bats}} at bats, {{walks}} walks, a walk in {{walks / turns:.1%}} of {{turns}} turns")
```"""

_REPEAT = """```python
print({told!r})
```"""


def coder(messages: Sequence[Message]) -> Reply:
    """Write the check for the latest figures that anyone reported."""
    found = [figures for _, report in reports(messages) if (figures := Figures.reported(report))]
    if not found:
        return Say(f"{COULD_NOT} write the check: nobody has reported any figures.")
    player, totals = found[-1].player, found[-1].totals
    if "walks" not in totals or "at bats" not in totals:
        return Say(f"There are no two figures to check against each other:\n\n{_REPEAT.format(told=str(found[-1]))}")
    code = _SNIPPET.format(player=player, at_bats=totals["at bats"], walks=totals["walks"])
    return Say(f"This checks the two figures against each other:\n\n{code}")
