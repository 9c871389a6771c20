"""Python functions that the library calls during a run: observers and the progress function.

An exception in such a function ends the run at the end of its window. The call of the run then raises this exception.
"""

from __future__ import annotations

import ctypes
import inspect
import weakref
from typing import TYPE_CHECKING, Any, Callable

from . import _abi, errors
from ._library import to_record

if TYPE_CHECKING:
    from .simulation import Simulation

Function = Callable[[Any], object]
NAMES = [name for name, *_ in _abi.wrsim_observer._fields_ if name not in ("size_bytes", "user")]


def guarded(sim: Simulation, function: Function, name: str) -> Callable[[Any, Any], None]:
    """Returns a C callback (user, record) that calls function(Record) and keeps exceptions in sim. name: for messages."""
    if not callable(function) or inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise errors.argument(f"{name}: expected a function without yield and async, got {type(function).__name__} {function!r:.80}")
    owner = weakref.ref(sim)

    def call(_user: Any, record: Any) -> None:
        to = owner()
        if to is None or to._raised is not None:
            return
        try:
            function(to_record(record.contents))
        except BaseException as error: # pylint: disable=broad-except # a C caller cannot pass exceptions on
            to._raised = error
            to._stop_for_return()

    return call


def observer(sim: Simulation, functions: dict[str, Function]) -> _abi.wrsim_observer:
    """Returns the table of an observer. Raises ArgumentError for an unknown name."""
    table = _abi.wrsim_observer(size_bytes=ctypes.sizeof(_abi.wrsim_observer))
    types = dict((name, type_) for name, type_, *_ in _abi.wrsim_observer._fields_)
    for name, function in functions.items():
        if name not in NAMES:
            raise errors.argument(f"an observer has no function {name!r}; choose some of: {', '.join(NAMES)}")
        setattr(table, name, types[name](guarded(sim, function, f"observer {name!r}")))
    return table
