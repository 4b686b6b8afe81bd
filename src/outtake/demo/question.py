"""What the demo's teams are asked, and the right answer."""

TASK = "How many at bats did the Yankee with the most walks in the 1977 regular season have that same season?"
EXPECTED = "519"
