"""wrsim simulates coupled hybrid ODE models by waveform relaxation on several cores.

    import wrsim

    result = wrsim.run("engine.toml", {"simulation.stop": 0.1}, output="engine.h5")
    print(result["cyl1.p"].max(), result.unit("cyl1.p"))

run() runs a config and returns a Result. Simulation advances step by step. sweep() runs many values. read() reads a result file. Config
checks a config and makes studies. The module needs NumPy and the libraries of wrsim, and no compiler. pandas and matplotlib are optional.

Times are in s. Signals have the unit of their variable. Errors are exceptions of the class WrsimError with the sentence of the library.
"""

from . import errors
from ._abi import VERSION as __version__
from ._abi import wrsim_status as Status
from ._library import Record
from .config import Config
from .errors import (ArgumentError, ConfigError, FileError, InternalError, ModelError, NumericalError, ResourceError, StateError, WrsimError,
                     WrsimWarning)
from .plotting import plot
from .results import Comparison, Result
from .runs import run, study_budget, sweep
from .simulation import Simulation, Snapshot
from .table import Table

read = Result

__all__ = ["ArgumentError", "Comparison", "Config", "ConfigError", "FileError", "InternalError", "ModelError", "NumericalError", "Record",
           "ResourceError", "Result", "Simulation", "Snapshot", "StateError", "Status", "Table", "WrsimError", "WrsimWarning", "errors", "plot",
           "read", "run", "study_budget", "sweep"]
