"""The service: everything that can be done with runs, whoever asks.  CLI, HTTP API and editors only translate."""

from outtake.service.errors import ServiceError, WrongUse
from outtake.service.service import Service

__all__ = ["Service", "ServiceError", "WrongUse"]
