"""All that the demo team needs to work offline: a small web site, tools to read it, files, and scripted models."""

from .browser import Browser
from .notes import Notes
from .pages import read_pages
from .scripted_model import ScriptedModel
from .site import serve

__all__ = ["Browser", "Notes", "ScriptedModel", "read_pages", "serve"]
