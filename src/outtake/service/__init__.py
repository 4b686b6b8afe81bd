"""The service: everything that can be done with runs, whoever asks.  CLI, HTTP API and editors only translate."""

from outtake.service.errors import ServiceError, WrongUse
from outtake.service.service import Service
from outtake.store.giving_up import GivenUp, wanted_while

__all__ = ["GivenUp", "Service", "ServiceError", "WrongUse", "wanted_while"]
