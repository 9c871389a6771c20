"""Ctrl-C and other signals during a run.

While a C function runs in the main thread, Python cannot call its signal handlers. So a run in the main thread sets a file descriptor to
which the interpreter writes each signal (signal.set_wakeup_fd). A thread reads the signals and stops the run at the end of its window.
An exception of a handler in a function that the run calls would be lost. So until the stop own handlers replace those of the program. After
the stop the handlers of the program get their signals, so Ctrl-C raises KeyboardInterrupt. Runs in other threads end by Simulation.stop().
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from types import FrameType
from typing import Any, Callable, Iterator


class _Watcher:
    """The thread that reads signals, and the stop functions of the runs of the main thread, the innermost run last."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        self.stops: list[Callable[[], None]] = []
        self.previous = -1
        self.process = os.getpid()
        threading.Thread(target=self.watch, name="wrsim signals", daemon=True).start()

    def watch(self) -> None:
        while True:
            caught = os.read(self.reader, 4096)
            for stop in list(self.stops):
                stop()
            if self.previous >= 0: # the descriptor of an event loop, such as that of a notebook
                with contextlib.suppress(OSError):
                    os.write(self.previous, caught)


_watcher: _Watcher | None = None
# Signals whose handlers wait for the end of the window, if they are functions in Python.
DEFERRED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)


class _Deferred:
    """A handler that stores signals during a run. before: the handlers of the program by signal.

    A handler of the program may raise an exception while stopped_by_signals() restores the handlers. The others then stay replaced, so
    after the run the object calls the handler of the program.
    """

    def __init__(self) -> None:
        self.before: dict[int, Any] = {}
        self.caught: list[tuple[int, FrameType | None]] = []
        self.is_over = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.is_over:
            self.before[number](number, frame)
        else:
            self.caught.append((number, frame))


def no_stop() -> None:
    """For calls that cannot stop early: their signals wait."""


@contextlib.contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Calls stop() in another thread if a signal with a handler in Python arrives, and the handler at the end. Has no effect outside of the
    main thread."""
    global _watcher
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if _watcher is None or _watcher.process != os.getpid(): # a fork ends the thread in the child
        _watcher = _Watcher()
    watcher, deferred, replaced = _watcher, _Deferred(), {}
    wakeup: int | None = None
    try:
        for number in DEFERRED:
            handler: Any = signal.getsignal(number)
            if isinstance(handler, _Deferred) and handler.is_over:
                handler = handler.before[number]
            if callable(handler):
                # A run in a function that another run calls takes the handlers of the program from the other run.
                deferred.before[number] = handler.before[number] if isinstance(handler, _Deferred) else handler
                replaced[number] = handler
                signal.signal(number, deferred)
        wakeup = signal.set_wakeup_fd(watcher.writer, warn_on_full_buffer=False)
        if wakeup != watcher.writer:
            watcher.previous = wakeup
        watcher.stops.append(stop)
        if deferred.caught: # before stop was in the list
            stop()
        yield
    finally:
        if stop in watcher.stops:
            watcher.stops.remove(stop)
        if wakeup is not None:
            signal.set_wakeup_fd(wakeup)
        deferred.is_over = True
        for number, handler in replaced.items():
            signal.signal(number, handler)
    for caught, frame in deferred.caught:
        deferred.before[caught](caught, frame)
