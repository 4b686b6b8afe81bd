"""The agents of one runtime: how they are made, what they listen to, and their state."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from autogen_core import (
    EVENT_LOGGER_NAME,
    Agent,
    AgentId,
    AgentInstantiationContext,
    AgentMetadata,
    AgentRuntime,
    AgentType,
    MessageSerializer,
    Subscription,
    TopicId,
)
from autogen_core.logging import AgentConstructionExceptionEvent

T = TypeVar("T", bound=Agent)
Factory = Callable[[], Any]
_events = logging.getLogger(EVENT_LOGGER_NAME)
_log = logging.getLogger("autogen_core")


class Agents(AgentRuntime):
    """The half of AutoGen's protocol of a runtime that delivers nothing."""

    def __init__(self) -> None:
        self._factories: dict[str, Factory] = {}
        self._classes: dict[str, type | None] = {}
        self._instances: set[str] = set()
        self._agents: dict[AgentId, Agent] = {}
        self._making: dict[AgentId, asyncio.Lock] = {}
        self._subscriptions: list[Subscription] = []
        self._hearers: dict[TopicId, list[AgentId]] = {}
        self._serializers: dict[tuple[str, str], MessageSerializer[Any]] = {}

    async def register_factory(
        self,
        type: str | AgentType,
        agent_factory: Callable[[], T | Awaitable[T]],
        *,
        expected_class: type[T] | None = None,
    ) -> AgentType:
        kind = AgentType(type) if isinstance(type, str) else type
        if kind.type in self._factories:
            raise ValueError(f"Agent with type {kind} already exists.")
        self._factories[kind.type] = agent_factory
        self._classes[kind.type] = expected_class
        return kind

    async def register_agent_instance(self, agent_instance: Agent, agent_id: AgentId) -> AgentId:
        cls = type(agent_instance)
        if agent_id in self._agents:
            raise ValueError(f"Agent with id {agent_id} already exists.")
        if agent_id.type in self._factories:
            if agent_id.type not in self._instances:
                raise ValueError("Agent factories and agent instances cannot be registered to the same type.")
            if self._classes[agent_id.type] is not cls:
                raise ValueError("Agent instances must be the same object type.")
        self._instances.add(agent_id.type)
        self._factories[agent_id.type] = _no_factory
        self._classes[agent_id.type] = cls
        await agent_instance.bind_id_and_runtime(id=agent_id, runtime=self)
        self._agents[agent_id] = agent_instance
        return agent_id

    async def _agent(self, agent: AgentId) -> Agent:
        found = self._agents.get(agent)
        if found is not None:
            return found
        if agent.type not in self._factories:
            raise LookupError(f"Agent with name {agent.type} not found.")
        async with self._making.setdefault(agent, asyncio.Lock()):
            if agent not in self._agents:
                self._agents[agent] = await self._make(agent)
        return self._agents[agent]

    async def _make(self, agent: AgentId) -> Agent:
        factory = self._factories[agent.type]
        expected = self._classes.get(agent.type)
        try:
            with AgentInstantiationContext.populate_context((self, agent)):
                made = factory(self, agent) if _takes_two(factory) else factory()  # type: ignore[call-arg]
                if inspect.isawaitable(made):
                    made = await made
            if expected is not None and not issubclass(type(made), expected):
                raise ValueError(
                    f"Factory registered using the wrong type: expected {expected.__name__}, got {type(made).__name__}"
                )
        except BaseException as error:
            _events.info(AgentConstructionExceptionEvent(agent_id=agent, exception=error))
            _log.exception("Error constructing agent %s", agent)
            raise
        return made  # type: ignore[no-any-return]

    async def try_get_underlying_agent_instance(self, id: AgentId, type: type[T] = Agent) -> T:  # type: ignore[assignment]
        agent = await self._agent(id)
        if not isinstance(agent, type):
            raise TypeError(
                f"Agent with name {id.type} is not of type {type.__name__}. It is of type {agent.__class__.__name__}"
            )
        return agent

    async def get(
        self,
        id_or_type: AgentId | AgentType | str,
        /,
        key: str = "default",
        *,
        lazy: bool = True,
    ) -> AgentId:
        if isinstance(id_or_type, AgentId):
            agent = id_or_type
        else:
            agent = AgentId(id_or_type if isinstance(id_or_type, str) else id_or_type.type, key)
        if not lazy:
            await self._agent(agent)
        return agent

    def known(self) -> dict[str, type | None]:
        """The types of agents that were registered, with their classes where they are known."""
        return dict(self._classes)

    def made(self) -> dict[AgentId, Agent]:
        """The agents that exist."""
        return dict(self._agents)

    async def save_state(self) -> Mapping[str, Any]:
        return {str(agent): dict(await made.save_state()) for agent, made in list(self._agents.items())}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        for name, saved in state.items():
            agent = AgentId.from_str(name)
            if agent.type in self._factories:
                await (await self._agent(agent)).load_state(saved)

    async def agent_metadata(self, agent: AgentId) -> AgentMetadata:
        return (await self._agent(agent)).metadata

    async def agent_save_state(self, agent: AgentId) -> Mapping[str, Any]:
        return await (await self._agent(agent)).save_state()

    async def agent_load_state(self, agent: AgentId, state: Mapping[str, Any]) -> None:
        await (await self._agent(agent)).load_state(state)

    # -- subscriptions and serializers -------------------------------------------------------------------------------

    async def add_subscription(self, subscription: Subscription) -> None:
        if any(known == subscription for known in self._subscriptions):
            raise ValueError("Subscription already exists")
        self._subscriptions.append(subscription)
        self._hearers.clear()

    async def remove_subscription(self, id: str) -> None:
        if not any(known.id == id for known in self._subscriptions):
            raise ValueError("Subscription does not exist")
        self._subscriptions = [known for known in self._subscriptions if known.id != id]
        self._hearers.clear()

    def hearers(self, topic: TopicId) -> list[AgentId]:
        """The agents that hear a topic, in the order in which they subscribed."""
        found = self._hearers.get(topic)
        if found is None:
            found = [known.map_to_agent(topic) for known in self._subscriptions if known.is_match(topic)]
            self._hearers[topic] = found
        return found

    def subscriptions(self) -> list[Subscription]:
        """Who listens to what."""
        return list(self._subscriptions)

    def topics(self) -> list[str]:
        """The topic types that subscriptions name."""
        names = [getattr(known, "topic_type", None) for known in self._subscriptions]
        return [name for name in dict.fromkeys(names) if name]

    def add_message_serializer(self, serializer: MessageSerializer[Any] | Sequence[MessageSerializer[Any]]) -> None:
        for each in serializer if isinstance(serializer, Sequence) else [serializer]:
            self._serializers[each.type_name, each.data_content_type] = each


def _takes_two(factory: Factory) -> bool:
    return len(inspect.signature(factory).parameters) == 2


def _no_factory() -> Agent:
    raise RuntimeError(
        "An agent of this type was registered as an instance, and a message goes to another key of it: its type is "
        "subscribed to a topic by mistake. For DefaultTopicId, turn `skip_class_subscriptions` off at registration."
    )
