"""Results of runs: signals as arrays, rows at events, comparison (wrsim/results.h)."""

from __future__ import annotations

import ctypes
import html
import os
import re
from ctypes import POINTER, byref
from typing import Any, Iterator, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _abi, errors
from ._arguments import Array, as_names
from ._library import Owner, Record, check, decode, encode, lib, to_record
from .table import Table

SignalNames = Union[str, Sequence[str]]


class _Handle(Owner):
    """Owns a wrsim_results, as long as an array of its values lives."""

    _kind, _destroy = "result", lib.wrsim_results_destroy

    def __init__(self, file: str) -> None:
        self._handle = ctypes.c_void_p()
        record = _abi.wrsim_error()
        check(lib.wrsim_results_read(encode(file), byref(self._handle), byref(record)), record)

    def array(self, values: Any, n: int) -> Array:
        """Returns n values of the library as an array that cannot be written."""
        if n == 0:
            return np.empty(0)
        memory = (ctypes.c_double * n).from_address(ctypes.addressof(values.contents))
        memory.owner = self # type: ignore[attr-defined] # the array refers to `memory`
        array: Array = np.frombuffer(memoryview(memory))
        array.flags.writeable = False
        return array


class Result:
    """Signals of a run at its communication points, from a result file of any format.

    result["component.variable"] is an array [number of points] in the unit of the signal, result.time the times in s. The arrays cannot be
    written. The run of the file may still go on, or may have been killed. Raises FileError.
    """

    def __init__(self, file: str | os.PathLike[str], *, summary: dict[str, Any] | None = None) -> None:
        self.file = decode(encode(file))
        self.summary = summary
        self.status: Any = None
        self._handle = _Handle(self.file)
        n_row = lib.wrsim_results_row_count(self._handle.handle)
        self.time: Array = self._handle.array(lib.wrsim_results_times(self._handle.handle), n_row)
        self._signals = [self._signal(i) for i in range(lib.wrsim_results_signal_count(self._handle.handle))]

    def _signal(self, i: int) -> Record:
        signal = _abi.wrsim_signal()
        lib.wrsim_results_signal(self._handle.handle, i, byref(signal))
        found = to_record(signal)
        found.values = self._handle.array(signal.value, len(self.time))
        return found

    def _find(self, name: str) -> int:
        found, record = ctypes.c_int(), _abi.wrsim_error()
        check(lib.wrsim_results_find(self._handle.handle, encode(name), byref(found), byref(record)), record)
        return found.value

    @property
    def names(self) -> list[str]:
        """Names of the signals, in the order of the file."""
        return [signal.name for signal in self._signals]

    @property
    def config(self) -> str:
        """The config of the run as TOML; "": the file has none."""
        return decode(lib.wrsim_results_config(self._handle.handle))

    def __getitem__(self, name: str) -> Array:
        return self._signals[self._find(name)].values # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self._signals)

    def unit(self, name: str) -> str:
        """Unit of a signal; "": not known."""
        return self._signals[self._find(name)].unit # type: ignore[no-any-return]

    def description(self, name: str) -> str:
        """Description of a signal in one line; "": not known."""
        return self._signals[self._find(name)].description # type: ignore[no-any-return]

    def match(self, patterns: SignalNames) -> list[str]:
        """Returns the signals of a name, a pattern such as "cyl*.p", or a list of these. Raises ArgumentError for a text without a signal."""
        found: list[str] = []
        for pattern in [patterns] if isinstance(patterns, str) else as_names(patterns, "match"):
            parts = {"*": ".*", "?": "."}
            wanted = re.compile("".join(parts.get(c) or re.escape(c) for c in pattern), re.DOTALL)
            names = [pattern] if pattern in self else [name for name in self.names if wanted.fullmatch(name)]
            if not names:
                self._find(pattern) # raises the error with the most similar name
            found += [name for name in names if name not in found]
        return found

    def _event_rows(self, names: list[str]) -> tuple[Array, npt.NDArray[np.bool_], Array]:
        """Returns times, sides and values [number of rows, len(names)] of all rows at events; NaN: the row lacks the signal."""
        wanted = (ctypes.c_int * len(names))(*map(self._find, names))
        rows, record = POINTER(_abi.wrsim_event_rows)(), _abi.wrsim_error()
        check(lib.wrsim_results_events(self._handle.handle, len(names), wanted, byref(rows), byref(record)), record)
        try:
            own = rows.contents
            n = own.n_row
            values = np.array(own.value[:n * len(names)], dtype=np.float64).reshape(n, len(names))
            return np.array(own.time_s[:n], dtype=np.float64), np.array(own.is_right[:n], dtype=bool), values
        finally:
            lib.wrsim_event_rows_destroy(byref(rows))

    def events(self, name: str) -> tuple[Array, npt.NDArray[np.bool_], Array]:
        """Returns the rows at events that have the signal: times in s, whether the row is on the right of its event, values.

        Each event, and each jump of an input, has a row on its left and a row on its right.
        """
        time, is_right, values = self._event_rows([name])
        here = ~np.isnan(values[:, 0])
        return time[here], is_right[here], values[here, 0]

    def curves(self, names: Sequence[str]) -> dict[str, tuple[Array, Array]]:
        """Returns for each signal the times and values of its communication points and of its rows at events, in the order of time.

        A jump is two values at one time. Several events at one time keep their order. A communication point at the time of events follows
        their rows, or precedes them if it has the first value.
        """
        names = as_names(names, "curves")
        time, _, values = self._event_rows(names)
        found = {}
        for name, column in zip(names, values.T):
            here = ~np.isnan(column)
            jump_time, jump_value = time[here], column[here]
            first = np.searchsorted(jump_time, self.time)
            precedes = np.zeros(len(self.time), dtype=bool)
            at = np.flatnonzero(first < len(jump_time))
            precedes[at] = (jump_time[first[at]] == self.time[at]) & (jump_value[first[at]] == self[name][at])
            times = np.concatenate([jump_time, self.time])
            order = np.lexsort((np.concatenate([np.ones(len(jump_time)), np.where(precedes, 0, 2)]), times))
            found[name] = times[order], np.concatenate([jump_value, self[name]])[order]
        return found

    def compare(self, reference: Result) -> Comparison:
        """Compares the common signals at the common communication points with a reference, as `wrsim compare` does."""
        return Comparison(self, reference)

    def to_table(self, patterns: SignalNames = "*") -> Table:
        """Returns a table with the column "time" and a column for each signal."""
        return Table({"time": self.time, **{name: self[name] for name in self.match(patterns)}})

    def plot(self, patterns: SignalNames = "*", *, file: str | os.PathLike[str] | None = None, reference: Result | None = None) -> Any:
        """Plots signals over time with matplotlib, one diagram per unit, and returns the figure. See wrsim.plot()."""
        from .plotting import plot # needs matplotlib

        return plot(self, patterns, file=file, reference=reference)

    def __repr__(self) -> str:
        span = f", t = {self.time[0]:.9g} s to {self.time[-1]:.9g} s" if len(self.time) else ""
        return f"<wrsim.Result {self.file!r}: {len(self)} signals, {len(self.time)} points{span}>"

    def _repr_html_(self) -> str:
        rows = [{"signal": s.name, "unit": s.unit, "least": s.values.min(), "largest": s.values.max(), "last": s.values[-1]}
                for s in self._signals if len(s.values)]
        return f"<p>{html.escape(repr(self))}</p>" + Table.from_rows(rows)._repr_html_()


class Comparison:
    """Differences of two results (wrsim_comparison).

    table: a row for each common signal with the members of wrsim_difference, in units of the reference.
    overlap: common and other signals and points (wrsim_overlap).
    """

    def __init__(self, result: Result, reference: Result) -> None:
        if not isinstance(reference, Result):
            raise errors.argument(f"compare: expected a Result, got {type(reference).__name__} {reference!r:.80}; wrsim.read() reads a file")
        found, record = POINTER(_abi.wrsim_comparison)(), _abi.wrsim_error()
        check(lib.wrsim_results_compare(result._handle.handle, reference._handle.handle, byref(found), byref(record)), record)
        try:
            own = found.contents
            self.table = Table.from_rows([vars(to_record(own.difference[i])) for i in range(own.n_signal)])
            self.overlap = to_record(own.overlap)
        finally:
            lib.wrsim_comparison_destroy(byref(found))

    @property
    def worst(self) -> Record:
        """The row of the signal with the largest difference relative to its range."""
        rows = list(self.table)
        return Record(**rows[int(np.argmax(np.nan_to_num(self.table["max_rel"], nan=np.inf)))])

    def __repr__(self) -> str:
        worst = self.worst
        return (f"<wrsim.Comparison of {len(self.table)} signals at {self.overlap.n_row} points: "
                f"largest difference {worst.max_rel:.3g} of the range, {worst.name}>")

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + self.table._repr_html_()
