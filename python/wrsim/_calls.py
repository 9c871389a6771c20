"""Calls of the library for a simulation: one thread at a time, Ctrl-C, forks, the end of the program."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
import time as clock
import warnings
import weakref
from ctypes import byref
from typing import Any, Iterator

from . import _abi, errors
from ._abi import wrsim_status as Status
from ._interrupt import stopped_by_signals
from ._library import Owner, check, lib


class Caller(Owner):
    """Owns a wrsim object and calls functions with it."""

    _kind, _destroy = "simulation", lib.wrsim_destroy
    name = "" # of the config
    _raised: BaseException | None = None # of a function that the run has called
    _gate = threading.RLock() # of objects whose constructor has failed

    def __init__(self) -> None:
        self._process = os.getpid()
        self._users: dict[str, object] = {} # "user": the call that uses the simulation; see _use()
        self._gate = threading.RLock() # for functions of all threads; a signal handler may call stop() in such a function
        self._is_stop_asked = False
        _open.add(self)

    @property
    def _is_foreign(self) -> bool:
        """Whether a fork has made this process after the constructor."""
        return self._process != os.getpid()

    @property
    def handle(self) -> ctypes.c_void_p:
        """The wrsim object, for functions of the C interface. Raises StateError after close(), and in a process that a fork has made."""
        if self._handle and self._is_foreign:
            raise errors.state("the simulation belongs to the process before a fork; create one in this process")
        return super().handle

    @contextlib.contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        """Reserves the simulation for this thread during a call.

        Ctrl-C may raise an exception after each function, also between Lock.acquire() and a `try`. So the mark of the call is stored within
        the `try`, and the end of the call has no function.
        """
        handle, mark = self.handle, object()
        try:
            if self._users.setdefault("user", mark) is not mark:
                raise errors.state("the simulation is in use: it runs, or another thread uses it; make this call when the other call has "
                                   "returned")
            if not handle: # another thread has closed the simulation since the first line
                handle = self.handle
            yield handle
        finally:
            if "user" in self._users and self._users["user"] is mark:
                del self._users["user"]

    def _call(self, function: Any, *arguments: Any) -> Status:
        """Calls a function that takes the simulation, arguments and an error record. Raises exceptions of callbacks first."""
        record = _abi.wrsim_error()
        with self._use() as handle:
            self._raised = None
            while True:
                with stopped_by_signals(self._stop_for_return):
                    status = function(handle, *arguments, byref(record))
                if self._raised is not None:
                    error, self._raised = self._raised, None
                    raise error
                if status != Status.STOPPED or self._is_stop_asked:
                    break # else a signal has stopped the run, and its handler has not raised an exception
        if status == Status.STOPPED:
            self._is_stop_asked = False
        return check(status, record)

    def _stop_for_return(self) -> None:
        with self._gate:
            if self._handle:
                lib.wrsim_stop(self._handle)

    def stop(self) -> None:
        """Requests a stop at the end of the present window. The run then returns Status.STOPPED. Thread: any."""
        self._is_stop_asked = True
        self._stop_for_return()

    @property
    def time(self) -> float:
        """Present simulated time, s. Thread: any."""
        with self._gate:
            return float(lib.wrsim_time(self.handle))

    def close(self) -> None:
        """Frees the simulation. Leaves a simulation of the process before a fork alone."""
        if not self._is_foreign:
            with self._use() as handle, self._gate:
                self._destroy(byref(handle))
        self._handle = None


_open: weakref.WeakSet[Caller] = weakref.WeakSet() # of this process


@atexit.register
def _close_all() -> None:
    """Closes the simulations that are open at the end of the program, because the interpreter cannot do so later. Stops their runs."""
    limit = clock.monotonic() + 10.0 # a function that a run calls may take longer than 10 s; then the run is left alone
    for sim in list(_open):
        if sim._is_foreign:
            continue
        try:
            sim.stop()
            while sim._users and clock.monotonic() < limit:
                clock.sleep(0.001)
            sim.close()
        except errors.WrsimError as error:
            warnings.warn(f"{sim!r} cannot be closed: {error}", errors.WrsimWarning)
