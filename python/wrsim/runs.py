"""Whole runs: run a config, run it with many values, find tolerances."""

from __future__ import annotations

import concurrent.futures
import contextlib
import itertools
import os
import tempfile
import threading
import warnings
from collections.abc import Set
from ctypes import POINTER, byref
from typing import Any, Callable, Mapping, Sequence, Union

from . import _abi, errors
from ._abi import wrsim_status as Status
from ._arguments import as_count, as_names, as_number
from ._interrupt import stopped_by_signals
from ._library import Record, check, encode, lib, offline, text_array, to_record
from .config import Config, Overrides, Path, override_texts
from .results import Result
from .simulation import Simulation
from .table import Table

WAIT_S = 0.2 # longest time without a reaction to Ctrl-C, s (assumed); users hardly notice this time
Measure = Union[str, Callable[[Result], Any]]


def _warn(sim: Simulation, status: Status) -> None:
    """Warns if the results of a run may be wrong, or if a limit has stopped the run."""
    account = sim.error_account
    text = ""
    if status not in (Status.OK, Status.STOPPED):
        text = f"{lib.wrsim_status_text(int(status)).decode()}, at t = {sim.time:.9g} s"
    if status == Status.INACCURATE or (status == Status.OK and account.is_large):
        through = f", mostly through {account.connection}" if account.connection else ""
        text = (f"the estimated splitting error is {account.error:.2g} of the range{through}; compare the results with one solver, or "
                "lower relaxation.convergence or simulation.rtol")
    if text:
        warnings.warn(text, errors.WrsimWarning, stacklevel=3)


def _finish(sim: Simulation, status: Status | None) -> Result:
    result = sim.result()
    result.status = status
    return result


def run(config: Path, overrides: Overrides | None = None, *, output: Path | None = None,
        on_progress: Callable[[Any], object] | None = None) -> Result:
    """Runs a config and returns its results.

    config, overrides: as for Config.
    output: name of the result file, .csv, .h5 or .mat; None: output.file of the config. If the config names no file, only the returned object
        has the results.
    on_progress: as Simulation.on_progress().

    The member `summary` of the result is the summary of the run, and `status` its status. Warns (WrsimWarning) if the results may be
    wrong or a limit has stopped the run. After an error or Ctrl-C, the file has the rows up to this moment, and the member `result` of the
    exception has these rows.
    """
    with tempfile.TemporaryDirectory(prefix="wrsim") as folder:
        if output is None:
            with Config(config, overrides) as own:
                has_file = bool(own.to_dict().get("output", {}).get("file"))
            output = None if has_file else os.path.join(folder, "results.csv")
        with Simulation(config, overrides, output=output) as sim:
            sim.on_progress(on_progress)
            sim.prepare()
            try:
                status = sim.run()
            except BaseException as error:
                with contextlib.suppress(errors.WrsimError): # the first error is the reason
                    error.result = _finish(sim, None) # type: ignore[attr-defined]
                raise
            _warn(sim, status)
            return _finish(sim, status)


def _measure(result: Result, name: str, measure: Measure) -> Any:
    if callable(measure):
        return measure(result)
    try:
        values = result[measure]
    except errors.ArgumentError as error: # its file is temporary
        raise errors.argument(f"sweep: result {name!r}: {error.text}") from None
    if not len(values):
        raise errors.argument(f"sweep: result {name!r}: no communication point is recorded; set output.points = true")
    return float(values[-1])


def _as_list(values: Any, key: str) -> list[Any]:
    """Returns the values of a key of a sweep. Raises ArgumentError for one value, a text, no value, or a set, which has no order."""
    if isinstance(values, (str, bytes, Set, Mapping)) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0:
        raise errors.argument(f"sweep: key {key!r}: expected a list of values, got {type(values).__name__} {values!r:.80}")
    column = list(values)
    if not column:
        raise errors.argument(f"sweep: key {key!r} has an empty list; give at least one value")
    return column


class _Sweep:
    """Runs of one config with many values, in several threads."""

    def __init__(self, config: Path, overrides: Overrides, measures: Mapping[str, Measure]) -> None:
        self.config, self.overrides, self.measures = config, overrides, measures
        self.lock = threading.Lock()
        self.running: set[Simulation] = set()
        self.is_over = False

    def run(self, point: Overrides) -> dict[str, Any]:
        """Returns the row of one run. An error of the run becomes the column "error"."""
        row: dict[str, Any] = {**point, "status": "STOPPED", **dict.fromkeys(self.measures, float("nan")), "error": ""}
        with tempfile.TemporaryDirectory(prefix="wrsim") as folder:
            try:
                with Simulation(self.config, {**self.overrides, **point, "output.file": os.path.join(folder, "results.csv"),
                                              "output.json": ""}) as sim:
                    with self.lock:
                        if self.is_over:
                            return row
                        self.running.add(sim)
                    try:
                        status = sim.run()
                    finally:
                        with self.lock:
                            self.running.discard(sim)
                    result = sim.result()
            except errors.WrsimError as error:
                row.update(status=error.status.name, error=str(error))
                return row
            row["status"] = status.name
            if status != Status.STOPPED:
                row.update({name: _measure(result, name, measure) for name, measure in self.measures.items()})
        return row

    def stop(self) -> None:
        with self.lock:
            self.is_over = True
            for sim in self.running:
                sim.stop()


def sweep(config: Path, values: Mapping[str, Sequence[Any]], results: Mapping[str, Measure], *, overrides: Overrides | None = None,
          jobs: int | None = None) -> Table:
    """Runs a config with all combinations of values, and returns a table with a row for each run.

    values: lists of values for keys, such as {"component.*.parameters.k12": [20, 40]}. The last key changes fastest.
    results: columns of the table: the name of a signal, for its last value, or a function of the Result of a run.
    overrides: keys with one value. If they lack scheduler.workers, each run has one worker.
    jobs: number of runs at a time; None: the cores of the process.

    Further columns are the keys, "status" (name of a Status) and "error". A failed run is a row with its error, and NaN in the columns of
    results. Failed runs also cause one warning (WrsimWarning). An unknown signal or an exception of a function in `results` ends the sweep.
    After such an exception or Ctrl-C the member `table` of the exception has the rows of all finished runs. The command `wrsim sweep`
    isolates runs in processes and resumes a sweep.
    """
    if not isinstance(values, Mapping) or not isinstance(results, Mapping) or not values or not results:
        raise errors.argument("sweep: expected a dict of keys and lists of values, and a dict of columns and results, each with an entry")
    values = {key: _as_list(column, key) for key, column in values.items()}
    wrong = next((name for name, measure in results.items() if not isinstance(measure, str) and not callable(measure)), None)
    if wrong is not None:
        raise errors.argument(f"sweep: result {wrong!r}: expected the name of a signal or a function, got {results[wrong]!r:.80}")
    taken = set(values) & {*results} | {*values, *results} & {"status", "error"}
    if taken:
        raise errors.argument(f"sweep: two columns would have the name {sorted(taken)[0]!r}; rename a result")
    n_job = len(os.sched_getaffinity(0)) if jobs is None else max(1, as_count(jobs, "sweep: jobs"))
    override_texts(overrides) # raises an exception for a wrong type
    work = _Sweep(config, {"scheduler.workers": 1, **(overrides or {})}, results)
    points = [dict(zip(values, point)) for point in itertools.product(*values.values())]
    with concurrent.futures.ThreadPoolExecutor(n_job) as pool:
        futures: list[concurrent.futures.Future[dict[str, Any]]] = []
        try:
            futures.extend(pool.submit(work.run, point) for point in points)
            done, others = set(futures[:0]), set(futures)
            while others and not any(future.exception() for future in done):
                # Ctrl-C ends a wait. The limit is for a Ctrl-C between the start of wait() and its system call.
                done, others = concurrent.futures.wait(others, WAIT_S, concurrent.futures.FIRST_EXCEPTION)
            rows = [future.result() for future in futures]
        except BaseException as error:
            work.stop()
            pool.shutdown(cancel_futures=True)
            rows = [future.result() for future in futures if not future.cancelled() and future.exception() is None]
            error.table = Table.from_rows([row for row in rows if row["status"] != "STOPPED"]) # type: ignore[attr-defined]
            raise
    failed = [row["error"] for row in rows if row["error"]]
    if failed:
        warnings.warn(f"{len(failed)} of {len(rows)} runs have failed: {failed[0]}", errors.WrsimWarning, stacklevel=2)
    return Table.from_rows(rows)


def study_budget(config: Path, overrides: Overrides | None = None, *, signals: Sequence[str] = (), error: float = 0.0, warm: float = 0.0,
                 on_progress: Callable[[str], object] | None = None) -> Record:
    """Finds the tolerances for a required error with the least work (wrsim_study_budget, `wrsim budget`).

    signals: glob patterns of the signals that count; none: all recorded signals.
    error: required relative error; 0: simulation.rtol.
    warm: simulated time before the study counts work, s.
    on_progress: receives lines of text about the progress.

    Returns the members of wrsim_budget. `tolerances` is a table, and `overrides` a list of "key=value". Ctrl-C ends the study.
    """
    raised: list[BaseException] = []
    is_over = threading.Event()

    def progress(_user: Any, text: bytes) -> None:
        try:
            if on_progress and not raised:
                on_progress(text.decode(errors="replace"))
        except BaseException as why: # pylint: disable=broad-except # a C caller cannot pass exceptions on
            raised.append(why)
            is_over.set()

    options, record = _abi.wrsim_budget_options(), _abi.wrsim_error()
    types = dict((name, type_) for name, type_, *_ in options._fields_)
    texts, patterns = text_array(override_texts(overrides)), text_array(as_names(signals, "study_budget: signals"))
    options.override, options.n_override, options.signal, options.n_signal = texts, len(texts), patterns, len(patterns)
    options.error, options.warm_s = as_number(error, "study_budget: error"), as_number(warm, "study_budget: warm")
    options.progress, options.is_over = types["progress"](progress), types["is_over"](lambda _user: int(is_over.is_set()))
    found = POINTER(_abi.wrsim_budget)()
    try:
        with stopped_by_signals(is_over.set):
            status = offline().wrsim_study_budget(encode(config), byref(options), byref(found), byref(record))
        if raised:
            raise raised[0]
        check(status, record)
        own = found.contents
        result = to_record(own)
        result.tolerances = Table.from_rows([vars(to_record(own.tolerance[i])) for i in range(own.n_tolerance)])
        result.overrides = [own.override[i].decode() for i in range(own.n_override)]
    finally:
        offline().wrsim_budget_destroy(byref(found))
    return result
