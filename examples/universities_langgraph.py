"""Recommending a university as a graph of LangGraph: fetch the pages, find criteria, rank, summarise."""

import operator
import time
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

import universities
from chat_langchain import Chat
from universities import Criteria, Facts

MODEL = Chat(universities.script)


class Page(TypedDict):
    """A page to fetch."""

    page: str


class Search(TypedDict, total=False):
    """What is known so far."""

    wish: str
    pages: Annotated[dict[str, Facts], operator.or_]
    criteria: Criteria
    ranking: list[tuple[str, float]]
    recommendation: str


def pages(state: Search) -> list[Send | str]:
    return [*(Send("fetch", {"page": page}) for page in universities.addresses()), "criteria"]


def fetch(state: Page) -> Search:
    """Fetch a page, which takes its time."""
    time.sleep(universities.DELAY)
    name, facts = universities.read(state["page"])
    return {"pages": {name: facts}}


def criteria(state: Search) -> Search:
    """Have the model say what matters."""
    told = MODEL.invoke(universities.criteria_prompt(state.get("wish") or universities.WISH))
    return {"criteria": universities.read_criteria(str(told.content))}


def rank(state: Search) -> Search:
    """Rank the universities by the criteria."""
    return {"ranking": universities.rank(state["pages"], state["criteria"])}


def summarise(state: Search) -> Search:
    """Have the model recommend one."""
    told = MODEL.invoke(universities.summary_prompt(state["ranking"], state["criteria"]))
    return {"recommendation": str(told.content)}


def recommending() -> CompiledStateGraph[Any, Any, Any, Any]:
    graph = StateGraph(Search)
    graph.add_node("fetch", fetch, input_schema=Page)
    graph.add_node("criteria", criteria)
    graph.add_node("rank", rank)
    graph.add_node("summarise", summarise)
    graph.add_conditional_edges(START, pages, ["fetch", "criteria"])
    graph.add_edge(["fetch", "criteria"], "rank")
    graph.add_edge("rank", "summarise")
    graph.add_edge("summarise", END)
    return graph.compile()
