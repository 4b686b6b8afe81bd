"""The HTTP and WebSocket API and the plain page: they translate between a browser and the service, and stop there."""

from outtake.server.app import create_app
from outtake.server.guard import Keys, Place
from outtake.server.serving import PortInUse, serve

__all__ = ["Keys", "Place", "PortInUse", "create_app", "serve"]
