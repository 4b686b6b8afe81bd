"""How people would repair the demo, in as many ways as came to mind, and some ways that repair nothing."""

from pathlib import Path


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name("instructions").joinpath(name).read_text("utf-8").splitlines()


INSTRUCTIONS = _lines("tuned.txt")
"""For the web surfer: terse, polite, technical, misspelled; as a plan, a question, a correction."""

HELD_OUT = _lines("held-out.txt")
"""More of these, written before the policy was tried on them; nothing is added to its synonyms for one that fails."""

PLANS = [
    "- WebSurfer: Open the batting page, sort by walks, report the at bats of the first row.",
    "WebSurfer should sort the batting table by walks and report at bats. Then Coder checks and Executor runs it.",
    "1. FileSurfer reads the glossary.\n2. WebSurfer opens the batting table and finds the highest walks.\n"
    "3. Coder writes a check.\n4. Executor runs it.",
    "* **WebSurfer**: look at the whole table, don't guess",
    "Sort the table by walks, give at bats of first row.",
    "- Web surfer: check all rows of the table",
    "Ask the web surfer to compare all players' walks in the table, and to report at bats of the one with the most.",
    "First FileSurfer: read glossary. Second WebSurfer: sort the batting table by walks. Third, answer.",
    "Have the surfer go through the table row by row for the max of walks.",
    "WebSurfer -> batting table, sorted by walks, top row",
    "We only need WebSurfer: do not take the first name, compare the numbers.",
]
"""The orchestrator's plan in other words and forms."""

REPORTS = [
    "It was Roy White, with 75 walks and 519 at bats.",
    "Roy White: 519 AB, 75 BB",
    "519",
    "The answer is 519.",
    "Roy White had 519 at-bats.",
    "At bats: 519",
    "Correction: Roy White leads with 75 walks; his at bats: 519.",
    "Actually it is Roy White (75 BB), not Reggie Jackson (74 BB). White had 519 AB.",
    "He was 519 times at bat.",
    '{"player": "Roy White", "at_bats": 519, "walks": 75}',
    "Reggie Jackson had 74 walks but Roy White had 75 walks and 519 at bats.",
    "FINAL ANSWER: 519",
]
"""What the web surfer could have reported."""

CLICKS = [
    "Roy White, 1977 New York Yankees",
    "Roy White",
    "roy white",
    "1977 New York Yankees: batting",
    "batting",
    "batting page",
    "The batting table",
]
"""Links that the web surfer could have followed, as its page calls them or as people do."""

QUERIES = [
    "Roy White",
    "batting",
    "1977 batting table",
    "highest walks",
    "all players walks table",
    "Who has the highest walks in the batting table?",
]

SEARCHES = [
    "Link: Roy White, 1977 New York Yankees",
    "Link: 1977 New York Yankees: batting",
    "Roy White had 75 walks and 519 at bats.",
    "Best match: Roy White",
    "Search is down. Use the batting table.",
]
"""What the search could have returned."""

THOUGHTS = [
    "I do not know which of these is right, so I open the batting page.",
    "I should not take the first name, I should compare all.",
    "Sort by walks!",
]

GUESSES = [
    "- Do not guess; look at the batting table.",
    "- It may be Roy White, not Reggie Jackson.",
    "- Roy White may have walked more often than anyone.",
]
"""What the orchestrator's facts could have guessed."""

RESTATED = [
    "Identify the Yankee with the most walks.",
    "Who had the most walks for the Yankees in 1977? Report at bats.",
    "Please tell us which player had the most walks and how many at bats he had.",
    "Find out who walked the most and report his at bats.",
    "Which Yankee drew the most bases on balls?",
    "Go with Reggie Jackson.",
    "Pick the most famous player.",
]
"""The orchestrator's mistake in other words: none says how to look."""

NONSENSE = [
    "",
    "asdf",
    "42",
    "What is the capital of France?",
    "Tell me a joke",
    "Sort your socks",
    "Open the door",
    "Book a table for two.",
    "Buy a new table for the kitchen",
    "Compare the weather in all cities of Europe",
    "Stop.",
    "Actually, sing a song",
    "Everybody dance now",
    "Order a pizza",
    "Who is the king of Spain?",
]

OTHERWISE = {
    "sort by walks in ascending order and read the first row": "46 at bats",
    "Find the fewest walks in the table": "46 at bats",
    "Sort by hits, most first": "565 at bats",
    "Report the player with the highest number of home runs": "589 at bats",
    "Sort the table by walks and give the hits of the first row": "139 hits",
    "Give the home runs of the player at the top of the walks column": "14 home runs",
    "Report the RBI of the player with the most hits, by the table.": "69 runs batted in",
    "Find the player with the second-highest number of walks in the table": "525 at bats",
    "Read the first row of the batting table": "595 at bats",
    "Look up Thurman Munson": "595 at bats",
    "Sort by salary": "has no column 'salary'; its columns are: player",
    "open http://elsewhere.example/page": "is out of reach",
}
"""Instructions that are understood and ask for something else: what is reported then."""
