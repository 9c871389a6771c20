"""Simulations: set inputs, advance, read signals, snapshots (wrsim/sim.h, port.h, checkpoint.h, scenario.h)."""

from __future__ import annotations

import ctypes
import html
import json
import logging
import math
import os
from ctypes import byref
from types import TracebackType
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from . import _abi, _callbacks, errors
from ._abi import wrsim_status as Status
from ._calls import Caller
from ._interrupt import no_stop, stopped_by_signals
from ._library import Owner, Record, check, check_plain, decode, encode, lib, take_text, text_array, to_record
from ._arguments import Array, as_names, as_number, as_values
from ._names import KINDS, INPUT, OUTPUT, unknown_port
from .config import Config, Overrides, Path, Reports
from .results import Result
from .table import Table

_log = logging.getLogger("wrsim")
_LEVELS = {_abi.wrsim_log_level.LOG_WARNING: logging.WARNING, _abi.wrsim_log_level.LOG_INFO: logging.INFO}

def _write_log(_user: Any, level: int, text: bytes) -> None:
    if level in _LEVELS: # errors become exceptions
        _log.log(_LEVELS[_abi.wrsim_log_level(level)], "%s", text.decode(errors="replace"))

_LOG = _abi.wrsim_log_fn(_write_log)

class Simulation(Caller):
    """A simulation of a config.

    config: a Config, or the name of a file.
    overrides: as for Config; only with a name of a file.
    output: name of the result file, .csv, .h5 or .mat; None: output.file of the config; "": no file.

    file: absolute name of the result file; "": none. communication_step: in s.

    The first call that needs values prepares the simulation: it starts the workers, opens the result file and finds start values. With a
    config whose simulation.monolithic is "auto", the constructor first studies the split.

        with wrsim.Simulation("loop.toml") as sim:
            for t in sim.steps():
                sim["valve"] = 0.5 - 0.1 * sim["pressure"]

    sim["name"] reads an output port or a variable "component.variable". sim["name"] = value sets an input port for the next advance.

    Signals: Ctrl-C during a run in the main thread stops the run at the end of its window and raises KeyboardInterrupt. The rows up to this
    window stay. A further call continues the run.
    Thread: one thread at a time uses a simulation. Other threads, and functions that the run calls, may use stop() and time only. Several
    simulations run in several threads at once.
    """

    def __init__(self, config: Config | Path, overrides: Overrides | None = None, *, output: Path | None = None) -> None:
        super().__init__()
        self._is_finished = False
        self._places: dict[tuple[str, ...], list[tuple[Any, Any]]] = {}
        self._keep: dict[str, Any] = {} # C callbacks that the library may call
        if isinstance(config, Config):
            if overrides or output is not None:
                raise errors.argument("overrides and output need the name of a config file; give them to Config")
            self._create(config)
            return
        more = {} if output is None else {"output.file": decode(encode(output))}
        with Config(config, {**(overrides or {}), **more}) as own:
            self._create(own)

    def _create(self, config: Config) -> None:
        if config.is_undecided:
            config.decide()
        settings = config.to_dict()
        self.name = config.name
        self.communication_step = float(settings["simulation"]["communication_step"])
        self._file = settings.get("output", {}).get("file", "")
        self.file = os.path.abspath(self._file) if self._file else ""
        host = _abi.wrsim_host(size_bytes=ctypes.sizeof(_abi.wrsim_host), log=_LOG)
        reports, record, handle = Reports(), _abi.wrsim_error(), ctypes.c_void_p()
        self._handle = handle # the interpreter may raise KeyboardInterrupt after each call
        with stopped_by_signals(no_stop): # the library calls _LOG and reports
            status = lib.wrsim_create_hosted(config.handle, byref(host), reports.function, None, byref(handle), byref(record))
        reports.check(status, record)

    # ---- life

    def prepare(self) -> None:
        """Starts the workers, opens the result file and finds start values. Does nothing in a prepared simulation."""
        if not self._is_prepared:
            if self._file:
                self.file = os.path.abspath(self._file)
            self._call(lib.wrsim_prepare)

    @property
    def _is_prepared(self) -> bool:
        """Whether the simulation has values. False during a run."""
        with self._gate:
            return bool(lib.wrsim_get_many(self.handle, 0, None, None) == Status.OK)

    def run(self) -> Status:
        """Runs to the stop time of the config, or continues a stopped run.

        Returns Status.OK; INACCURATE if the estimated splitting error is above relaxation.error_limit; STOPPED after stop();
        DEADLINE_MISSED or DELAY_EXCEEDED after a stop by a limit of the config. Raises NumericalError, ModelError, FileError; results up
        to the failure stay.
        """
        self.prepare()
        return self._call(lib.wrsim_run)

    def advance(self, time: float) -> Status:
        """Runs exactly to `time` in s. Returns a status as run() does, never INACCURATE. Raises ArgumentError if `time` has passed."""
        end = as_number(time, "advance")
        self.prepare()
        present = self.time
        if end < present - 1e-9 * self.communication_step: # else end is the present time with a rounding error
            raise errors.argument(f"advance: the time {end:.9g} s has passed; give a time from {present:.9g} s on, or restore a snapshot")
        return self._call(lib.wrsim_advance, end)

    def steps(self, until: float | None = None, step: float | None = None) -> Iterator[float]:
        """Yields the present time before each step, and advances by one step after each turn of the loop.

        until: end in s; None: the stop time of the config.
        step: length of a step in s; None: the communication step of the config.
        The loop ends early if the run stops or an event ends the run. Raises ArgumentError if step is 0 or less, or `until` has passed.
        """
        length = self.communication_step if step is None else as_number(step, "steps: step")
        self.prepare()
        end = self.stats.stop_s if until is None else as_number(until, "steps: until")
        if length <= 1e-9 * self.communication_step: # an advance below rounding does not advance (wrsim_advance)
            raise errors.argument(f"steps: step is {length:.9g} s; give a longer step")
        if until is not None and end < self.time:
            raise errors.argument(f"steps: the time {end:.9g} s has passed; give an end from {self.time:.9g} s on")
        return self._steps(end, length)

    def _steps(self, end: float, length: float) -> Iterator[float]:
        start = self.time
        n = math.ceil((end - start) / length - 1e-9) # a last step below rounding is no step
        for i in range(1, n + 1):
            before = self.time
            yield before
            if self.advance(min(start + i * length, end) if i < n else end) != Status.OK or self.time <= before:
                return

    def finish(self) -> None:
        """Completes and closes the result file, and writes the summary of the config's output.json. Also after a failure or stop."""
        def finish(*arguments: Any) -> Any: # _call() defers Ctrl-C in this function
            self._is_finished = True
            return lib.wrsim_finish(*arguments)

        if not self._is_finished and (self._users or self._is_prepared):
            self._call(finish)

    def result(self) -> Result:
        """Finishes the run and reads its result file. Raises StateError if the config names no file."""
        self.handle # raises an exception after close()
        if not self.file:
            raise errors.state("the run has no result file; set output.file or the argument output")
        self.prepare()
        self.finish()
        return Result(self.file, summary=self.summary)

    def close(self) -> None:
        """Finishes the run and frees the simulation. Closing twice is allowed. Leaves a simulation of the process before a fork alone."""
        if not self._handle:
            return
        try:
            if not self._is_foreign:
                self.finish()
        finally:
            super().close()
        self._keep.clear()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except errors.WrsimError:
            if error is None: # else the first error is the reason
                raise

    # ---- values

    def _find(self, direction: _abi.wrsim_port_direction, names: Sequence[str]) -> list[tuple[Any, Any]]:
        """Returns, for ports and for variables, their positions in names and their numbers. Names of ports have no dot."""
        key = (str(int(direction)), *names)
        if key not in self._places:
            record, found = _abi.wrsim_error(), []
            for is_port in (True, False):
                at = [i for i, name in enumerate(names) if (direction == INPUT or "." not in name) == is_port]
                numbers = np.zeros(len(at), dtype=np.intc)
                pointer = numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
                texts = text_array(names[i] for i in at)
                with self._use() as handle:
                    status = (lib.wrsim_port_find_many(handle, int(direction), len(at), texts, pointer, byref(record)) if is_port
                              else lib.wrsim_find_many(handle, len(at), texts, pointer, byref(record)))
                if status == Status.E_ARG and is_port:
                    kinds = self._kinds()
                    raise unknown_port(next(names[i] for i in at if kinds.get(names[i]) != KINDS[direction]), KINDS[direction], kinds)
                check(status, record)
                found.append((at, numbers))
            self._places[key] = found
        return self._places[key]

    def _kinds(self) -> dict[str, str]:
        """Returns the kind of each name: a variable, an input port or an output port."""
        ports = {row["name"]: f"{row['direction']} port" for row in self.ports}
        return {**dict.fromkeys(self.variables["name"], "variable"), **ports}

    def get(self, names: Sequence[str]) -> Array:
        """Returns the present values of output ports and of variables "component.variable", as an array [len(names)].

        Each value is in the unit of its variable. NaN: the variable has no value (wrsim_get_many). Raises ArgumentError for an unknown
        name, with the most similar name.
        """
        names = as_names(names, "get")
        self.prepare()
        values = np.full(len(names), np.nan)
        (at_port, ports), (at_variable, variables) = self._find(OUTPUT, names)
        with self._use() as handle:
            for at, numbers, function in ((at_port, ports, lib.wrsim_port_get_many), (at_variable, variables, lib.wrsim_get_many)):
                part = np.empty(len(at))
                check_plain(function(handle, len(at), numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
                                     part.ctypes.data_as(ctypes.POINTER(ctypes.c_double))), "get")
                values[at] = part
        return values

    def set(self, names: Sequence[str] | Mapping[str, float], values: npt.ArrayLike | None = None) -> None:
        """Sets input ports for the next advance: set(["a", "b"], array) or set({"a": 1.0, "b": 2.0}).

        values: array [len(names)], each in the unit of its port. Raises ArgumentError for an unknown port, another shape, or a value that is
        not finite; then no port changes.
        """
        if isinstance(names, Mapping) == (values is not None):
            raise errors.argument("set: expected a dict of names and values, or a list of names and an array")
        if isinstance(names, Mapping):
            values = [as_number(value, f"port {name!r}") for name, value in names.items()]
        names = as_names(names, "set")
        array = as_values(values, len(names), "set")
        self.prepare()
        if self._is_finished:
            raise errors.state("set: the simulation is finished; create another one")
        _, numbers = self._find(INPUT, names)[0]
        with self._use() as handle:
            check_plain(lib.wrsim_port_set_many(handle, len(names), numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
                                                array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))), "set")

    def __getitem__(self, name: str) -> float:
        return float(self.get([name])[0])

    def __setitem__(self, name: str, value: float) -> None:
        self.set([name], [as_number(value, f"port {name!r}")])

    def __contains__(self, name: object) -> bool:
        """Whether an output port or a variable has the name."""
        return self._kinds().get(str(name), KINDS[INPUT]) != KINDS[INPUT]

    __iter__ = None # else `for name in sim` would read sim[0]

    # ---- snapshots and checkpoints

    def snapshot(self) -> Snapshot:
        """Saves the present state in memory. Prepares the simulation, if necessary."""
        return Snapshot(self)

    def keep_start(self) -> None:
        """Saves the state at the start, for reset(). Call before the first advance."""
        self.prepare()
        self._call(lib.wrsim_keep_start)

    def reset(self) -> None:
        """Restores the state of keep_start()."""
        self._call(lib.wrsim_reset)

    def write_checkpoint(self, file: Path) -> None:
        """Writes the state to a file (wrsim_checkpoint_write)."""
        self.prepare()
        self._call(lib.wrsim_checkpoint_write, encode(file))

    def read_checkpoint(self, file: Path) -> None:
        """Restores the state of a file of the same config (wrsim_checkpoint_read)."""
        self.prepare()
        self._call(lib.wrsim_checkpoint_read, encode(file))

    # ---- scenarios

    def _scenario(self, name: str) -> int:
        self.prepare()
        with self._use() as handle:
            number = lib.wrsim_scenario_find(handle, encode(name))
        if number < 0:
            raise errors.argument(f"no scenario has the name {name!r:.100}; scenarios: {', '.join(self.scenarios['name']) or 'none'}")
        return int(number)

    def trigger(self, scenario: str, is_on: bool = True) -> None:
        """Switches a scenario on or off for the next advance (wrsim_scenario_trigger)."""
        number = self._scenario(scenario)
        with self._use() as handle:
            check_plain(lib.wrsim_scenario_trigger(handle, number, int(is_on)), f"scenario {scenario!r}")

    def set_scenario(self, scenario: str, value: float) -> None:
        """Sets the value of a scenario for the next advance, in the unit of its target (wrsim_scenario_set_value)."""
        new, number = as_number(value, f"scenario {scenario!r}"), self._scenario(scenario)
        with self._use() as handle:
            check_plain(lib.wrsim_scenario_set_value(handle, number, new), f"scenario {scenario!r}")

    # ---- functions that the run calls

    def observe(self, **functions: Callable[[Any], object]) -> None:
        """Sets functions that the run calls (wrsim/observer.h), such as observe(window=print_window, event=note). Without arguments removes
        them.

        A function gets a Record with the members of the struct. The function may use stop() and time only. Workers call functions, at times
        several at once; the interpreter lock makes the functions wait for one another. If a function raises an exception, the run stops at
        the end of its window and raises this exception. A further call continues the run.
        """
        table = _callbacks.observer(self, functions)
        record = _abi.wrsim_error()
        with self._use() as handle:
            check(lib.wrsim_observe(handle, byref(table) if functions else None, byref(record)), record)
            self._keep["observer"] = table

    def on_progress(self, function: Callable[[Any], object] | None) -> None:
        """Sets a function that the run calls between two windows with a wrsim_progress (time_s, stop_s, n_window, n_sweep); None removes
        it. The rules of observe() apply."""
        callback = (ctypes.cast(0, _abi.wrsim_progress_fn) if function is None else
                    _abi.wrsim_progress_fn(_callbacks.guarded(self, function, "on_progress")))
        with self._use() as handle:
            check_plain(lib.wrsim_set_progress(handle, callback, None), "on_progress")
            self._keep["progress"] = callback

    # ---- description and statistics

    def _count(self, count: Any, info: Any, record: Any) -> list[Record]:
        """Returns the records of entries 0 to count(simulation) less 1."""
        with self._use() as handle:
            found = []
            for i in range(count(handle) if callable(count) else count):
                check_plain(info(handle, i, byref(record)), "a description")
                found.append(to_record(record))
        return found

    @property
    def variables(self) -> Table:
        """Name, unit, description and kind of each variable."""
        found = self._count(lib.wrsim_variable_count, lib.wrsim_variable_info, _abi.wrsim_named_variable())
        return Table({"name": [f"{v.component}.{v.name}" for v in found], "unit": [v.unit for v in found],
                      "kind": [_abi.wrsim_kind(v.kind).name.lower() for v in found], "description": [v.description for v in found]})

    @property
    def ports(self) -> Table:
        """Name, unit and direction of each port."""
        found = self._count(lib.wrsim_port_count, lib.wrsim_port_info, _abi.wrsim_port())
        return Table({"name": [p.name for p in found], "unit": [p.unit for p in found],
                      "direction": ["input" if p.direction == INPUT else "output" for p in found]})

    @property
    def scenarios(self) -> Table:
        """Name, action and target of each scenario; is_triggered: trigger() may switch the scenario."""
        found = self._count(lib.wrsim_scenario_count, lib.wrsim_scenario_info, _abi.wrsim_scenario())
        return Table({name: [getattr(s, name) for s in found] for name in ("name", "action", "target", "is_triggered")})

    def _one(self, function: Any, record: Any) -> Record:
        self.prepare()
        with self._use() as handle:
            check_plain(function(handle, byref(record)), "statistics")
        return to_record(record)

    @property
    def stats(self) -> Record:
        """Counters of the run: the members of wrsim_stats."""
        return self._one(lib.wrsim_stats_get, _abi.wrsim_stats())

    @property
    def error_account(self) -> Record:
        """The estimated splitting error: the members of wrsim_error_account."""
        return self._one(lib.wrsim_error_account_get, _abi.wrsim_error_account())

    @property
    def realtime(self) -> Record:
        """Deadlines and margins of a paced run: the members of wrsim_realtime_stats."""
        return self._one(lib.wrsim_stats_realtime, _abi.wrsim_realtime_stats())

    @property
    def subsystems(self) -> Table:
        """A row for each subsystem with the members of wrsim_subsystem_stats."""
        return Table.from_rows([vars(row) for row in self._count(self.stats.n_subsystem, lib.wrsim_stats_subsystem,
                                                                 _abi.wrsim_subsystem_stats())])

    @property
    def workers(self) -> Table:
        """A row for each worker with the members of wrsim_worker_stats."""
        return Table.from_rows([vars(row) for row in self._count(self.stats.n_worker, lib.wrsim_stats_worker, _abi.wrsim_worker_stats())])

    @property
    def structure(self) -> dict[str, Any]:
        """Subsystems, connections, ports and warnings (wrsim_structure)."""
        with self._use() as handle:
            return dict(json.loads(take_text(lib.wrsim_structure(handle))))

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the run (wrsim_summary)."""
        self.prepare()
        with self._use() as handle:
            return dict(json.loads(take_text(lib.wrsim_summary(handle))))

    def __repr__(self) -> str:
        state = ("closed" if not self._handle else "of another process" if self._is_foreign else
                 "running" if self._users else "finished" if self._is_finished else f"t = {self.time:.9g} s" if self._is_prepared else "not prepared")
        return f"<wrsim.Simulation {self.name!r}, {state}>"

    def _repr_html_(self) -> str:
        if not self._handle or self._is_foreign or self._users or not self._is_prepared:
            return f"<p>{html.escape(repr(self))}</p>"
        rows = [{"subsystem": s["name"], "solver": s["solver"], "states": s["n_state"], "steps": s["n_step"], "right-hand sides": s["n_rhs"],
                 "events": s["n_state_event"] + s["n_time_event"]} for s in self.subsystems]
        return f"<p>{html.escape(repr(self))}</p>" + Table.from_rows(rows)._repr_html_()

class Snapshot(Owner):
    """A saved state of a simulation in memory (wrsim/checkpoint.h). The thread rules of the simulation apply."""

    _kind, _destroy = "snapshot", lib.wrsim_snapshot_destroy

    def __init__(self, sim: Simulation) -> None:
        if not isinstance(sim, Simulation):
            raise errors.argument(f"Snapshot: expected a Simulation, got {type(sim).__name__}")
        self._sim = sim
        sim.prepare()
        self._handle = ctypes.c_void_p()
        sim._call(lib.wrsim_snapshot_create, byref(self._handle))

    def take(self) -> None:
        """Replaces the saved state by the present state."""
        self._sim._call(lib.wrsim_snapshot_take, self.handle)

    def restore(self) -> None:
        """Restores the saved state, any number of times, also after a failure of the run."""
        self._sim._call(lib.wrsim_snapshot_restore, self.handle)
