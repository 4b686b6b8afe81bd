"""The HTTP and WebSocket API and the pages: they translate between a browser and the service, and stop there."""

from outtake.server.app import create_app
from outtake.server.guard import Keys, Place
from outtake.server.serving import Pages, PortInUse, has_screen, serve, served

__all__ = ["Keys", "Pages", "Place", "PortInUse", "create_app", "has_screen", "serve", "served"]
