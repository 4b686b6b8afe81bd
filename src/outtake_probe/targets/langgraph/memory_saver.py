"""A checkpointer that lasts as long as its run and keeps what it is given, as it is.

A graph that asks a person has to be able to go on from there, which takes a checkpointer; one that serialises nothing
costs next to nothing and takes any state, locks and open files included.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

CONF = "configurable"
Key = tuple[str, str]


class Keeper(BaseCheckpointSaver[int]):
    """Keeps the newest checkpoint of each graph."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[Key, CheckpointTuple] = {}
        self._writes: dict[tuple[Key, str], dict[tuple[str, int], tuple[str, str, Any]]] = {}

    def get_tuple(self, config: Any) -> CheckpointTuple | None:
        found = self._kept.get(_key(config))
        wanted = config[CONF].get("checkpoint_id")
        if found is None or (wanted and wanted != found.checkpoint["id"]):
            return None
        writes = self._writes.get((_key(config), found.checkpoint["id"]), {})
        checkpoint: Any = {name: dict(v) if isinstance(v, dict) else v for name, v in found.checkpoint.items()}
        seen = {name: dict(versions) for name, versions in found.checkpoint["versions_seen"].items()}
        checkpoint["versions_seen"] = seen
        return found._replace(checkpoint=checkpoint, pending_writes=list(writes.values()))

    def list(
        self, config: Any, *, filter: Any = None, before: Any = None, limit: int | None = None
    ) -> Iterator[CheckpointTuple]:
        found = self.get_tuple(config) if config is not None else None
        if found is not None:
            yield found

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        thread, space = _key(config)
        place = {"thread_id": thread, "checkpoint_ns": space, "checkpoint_id": checkpoint["id"]}
        before = self._kept.get((thread, space))
        if before is not None:
            self._writes.pop(((thread, space), before.checkpoint["id"]), None)
        copied: Any = {name: dict(v) if isinstance(v, dict) else v for name, v in checkpoint.items()}
        where: Any = {CONF: place}
        self._kept[thread, space] = CheckpointTuple(where, copied, metadata, None, [])
        return where

    def put_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        kept = self._writes.setdefault((_key(config), config[CONF]["checkpoint_id"]), {})
        for index, (channel, value) in enumerate(writes):
            kept[task_id, _SPECIAL.get(channel, index)] = (task_id, channel, value)

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(
        self, config: Any, *, filter: Any = None, before: Any = None, limit: int | None = None
    ) -> AsyncIterator[CheckpointTuple]:
        for found in self.list(config):
            yield found

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        for key in [key for key in self._kept if key[0] == thread_id]:
            del self._kept[key]

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)


_SPECIAL = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}


def _key(config: Any) -> Key:
    conf = config[CONF]
    return str(conf["thread_id"]), str(conf.get("checkpoint_ns", ""))
