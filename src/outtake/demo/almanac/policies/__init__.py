"""The scripted policies, one per member of the team.

They stand in for language models, so that the demo runs offline and the same way every time, and they are no more
than they look: rules that read text and act on it. Each is a pure function of the messages in its prompt, so what it
answers changes when, and only when, a message that it reads changes.
"""

from .coder import coder
from .file_surfer import file_surfer
from .orchestrator import orchestrator
from .reading import Message, Policy, Reply, Say, ToolResult, Use
from .web_surfer import web_surfer

POLICIES: dict[str, Policy] = {
    "coder": coder,
    "file_surfer": file_surfer,
    "orchestrator": orchestrator,
    "web_surfer": web_surfer,
}

__all__ = ["POLICIES", "Message", "Policy", "Reply", "Say", "ToolResult", "Use"]
