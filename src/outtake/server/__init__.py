"""The HTTP and WebSocket API and the pages: they translate between a browser and the service, and stop there."""

from outtake.server.app import create_app
from outtake.server.auth import Endpoint, Keys
from outtake.server.serving import Pages, PortInUse, has_screen, serve, served

__all__ = ["Endpoint", "Keys", "Pages", "PortInUse", "create_app", "has_screen", "serve", "served"]
