"""Grading essays as a graph of LangGraph: ingest, assess each, compute, summarise."""

import operator
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

import essays
from chat_langchain import Chat

MODEL = Chat(essays.script)


class Assessed(TypedDict):
    """The marks of one essay, as fractions of full marks."""

    student: str
    marks: dict[str, float]


class Essay(TypedDict):
    """One essay to assess."""

    student: str
    text: str


class Class(TypedDict, total=False):
    """What is known of the class."""

    essays: list[Essay]
    assessed: Annotated[list[Assessed], operator.add]
    average: float
    summary: str


def ingest(state: Class) -> Class:
    """Read the essays."""
    return {"essays": [{"student": student, "text": essays.essay(student)} for student in essays.students()]}


def one_each(state: Class) -> list[Send]:
    return [Send("assess", essay) for essay in state["essays"]]


def assess(state: Essay) -> Class:
    """Have the model mark an essay."""
    told = MODEL.invoke(essays.assess_prompt(state["student"], state["text"]))
    return {"assessed": [{"student": state["student"], "marks": essays.read_marks(str(told.content))}]}


def compute(state: Class) -> Class:
    """Average the marks."""
    return {"average": essays.average([one["marks"] for one in state["assessed"]])}


def summarise(state: Class) -> Class:
    """Have the model put it into words."""
    marks = {one["student"]: one["marks"] for one in state["assessed"]}
    return {"summary": str(MODEL.invoke(essays.summary_prompt(state["average"], marks)).content)}


def grading() -> CompiledStateGraph[Any, Any, Any, Any]:
    graph = StateGraph(Class)
    graph.add_node("ingest", ingest)
    graph.add_node("assess", assess, input_schema=Essay)
    graph.add_node("compute", compute)
    graph.add_node("summarise", summarise)
    graph.add_edge(START, "ingest")
    graph.add_conditional_edges("ingest", one_each, ["assess"])
    graph.add_edge("assess", "compute")
    graph.add_edge("compute", "summarise")
    graph.add_edge("summarise", END)
    return graph.compile()
