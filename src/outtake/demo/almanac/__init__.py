"""All that the demo team needs to work offline: a small web site, tools to read it, files, and scripted policies.

Nothing here needs a framework, but `scripted_model`: AutoGen's way to a policy."""

from .browser import Browser
from .notes import Notes
from .pages import read_pages
from .site import serve

__all__ = ["Browser", "Notes", "read_pages", "serve"]
