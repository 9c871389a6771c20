"""Exceptions and warnings: one class per family of statuses (wrsim/status.h)."""

from __future__ import annotations

import math
from typing import Any

from . import _abi
from ._abi import wrsim_status as Status


class WrsimError(Exception):
    """A failed call. str() is the sentence of the library, after the place of the error.

    status: the failed status, such as Status.E_CONFIG.
    file, line, column: place in a file; "" and 0: none.
    subsystem: subsystem with the error; "": none.
    time: simulated time in s; None: none.
    text: the sentence without the place.
    errors: all errors of a config, in the order of its lines.
    result: results up to the failure, set by wrsim.run(); None: none.
    """

    def __init__(self, text: str, status: Status, place: _abi.wrsim_error | None = None) -> None:
        self.status = status
        self.text = text
        self.file = place.file.decode(errors="replace") if place else ""
        self.line = place.line if place else 0
        self.column = place.column if place else 0
        self.subsystem = place.subsystem.decode(errors="replace") if place else ""
        self.time = None if place is None or math.isnan(place.time_s) else place.time_s
        self.errors: list[WrsimError] = [self]
        self.result: Any = None
        super().__init__(text)

    def __reduce__(self) -> Any: # a pool of processes returns exceptions by pickle
        return type(self), (self.text, self.status), {**vars(self), "result": None}

    def __str__(self) -> str:
        numbers = "".join(f":{number}" for number in (self.line, self.column) if number > 0)
        place = f"{self.file}{numbers}: " if self.file else ""
        return place + (f"subsystem '{self.subsystem}': " if self.subsystem else "") + self.text


class ArgumentError(WrsimError, ValueError):
    """An argument is wrong: an unknown name, a number that is not finite, an array of another shape."""


class StateError(WrsimError, RuntimeError):
    """The call is not allowed now: after close(), during a run, or before the first step."""


class ConfigError(WrsimError, ValueError):
    """The config, its connections or its subsystems are not valid."""


class ModelError(WrsimError, RuntimeError):
    """A model, plug-in or FMU cannot be used, or reports an error."""


class NumericalError(WrsimError, ArithmeticError):
    """The simulation cannot go on: a value is not finite, a solver fails, windows do not converge."""


class FileError(WrsimError, OSError):
    """A file cannot be read or written, or the disk is full."""


class ResourceError(WrsimError, RuntimeError):
    """Memory is exhausted, or the system refuses a request of the run."""


class InternalError(WrsimError, RuntimeError):
    """An error of wrsim itself."""


class WrsimWarning(UserWarning):
    """A complete run whose results may be wrong, or a run that a limit has stopped."""


# A family has ten numbers (wrsim/status.h); the key is the smallest of them, without the sign. Statuses -1 and -2 are two families.
FAMILIES: dict[int, type[WrsimError]] = {10: ConfigError, 20: ModelError, 30: NumericalError, 40: FileError, 50: ResourceError,
                                         90: InternalError}


def family(status: int) -> type[WrsimError]:
    """Returns the class of exceptions of a negative status."""
    if status in (Status.E_ARG, Status.E_STATE):
        return ArgumentError if status == Status.E_ARG else StateError
    return FAMILIES.get(-status // 10 * 10, WrsimError)


def from_record(record: _abi.wrsim_error) -> WrsimError:
    """Returns the exception of a record of the library."""
    text = record.text.decode(errors="replace")
    return family(record.status)(text, Status(record.status), record)


def argument(text: str) -> ArgumentError:
    """Returns an error of an argument that the module itself has found."""
    return ArgumentError(text, Status.E_ARG)


def state(text: str) -> StateError:
    """Returns an error of a call at the wrong time."""
    return StateError(text, Status.E_STATE)
