"""A master of FMUs of co-simulation by ctypes, for FMI 2.0 and 3.0. The master calls in the order of the standard."""
import _ctypes
import ctypes
import os
import pathlib
import urllib.parse
import xml.etree.ElementTree as ElementTree
import zipfile
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint8, c_uint32, c_void_p

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
LOGGER_2 = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p, c_char_p)
LOGGER_3 = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
ALLOCATE = ctypes.CFUNCTYPE(c_void_p, c_size_t, c_size_t)
RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
FINISHED = ctypes.CFUNCTYPE(None, c_void_p, c_int)


class Callbacks(ctypes.Structure):
    _fields_ = [("logger", LOGGER_2), ("allocate", ALLOCATE), ("release", RELEASE), ("finished", FINISHED), ("env", c_void_p)]


class Failed(Exception):
    """A call returned another status than OK."""


class Variable:
    def __init__(self, element, version):
        inner = element[0] if version == 2 else element
        self.name = element.get("name")
        self.number = int(element.get("valueReference"))
        self.causality = element.get("causality", "local")
        self.variability = element.get("variability", "continuous")
        self.kind = inner.tag
        self.attributes = dict(inner.attrib)
        self.start = inner.get("start")


class Unpacked:
    """An FMU in a folder, with its description. path None: the folder has the files already."""

    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder).absolute()
        if path:
            with zipfile.ZipFile(path) as archive:
                archive.extractall(self.folder)
        self.root = ElementTree.parse(self.folder / "modelDescription.xml").getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.interface = self.root.find("CoSimulation")
        self.saves = self.interface.get("canGetAndSetFMUstate" if self.version == 2 else "canGetAndSetFMUState") == "true"
        platform = "linux64" if self.version == 2 else f"{os.uname().machine}-linux"
        self.binary = self.folder / "binaries" / platform / (self.interface.get("modelIdentifier") + ".so")
        self.token = self.root.get("guid" if self.version == 2 else "instantiationToken")
        self.variables = [Variable(element, self.version) for element in self.root.find("ModelVariables")]
        self.by_name = {variable.name: variable for variable in self.variables}

    def names(self, causality):
        return [variable.name for variable in self.variables if variable.causality == causality]


class Instance:
    """An instance of an unpacked FMU. Methods raise Failed with the last messages of the FMU."""

    def __init__(self, fmu, name="f", is_logging=False):
        self.fmu, self.log = fmu, []
        self.lib = ctypes.CDLL(str(fmu.binary))
        self.prefix = f"fmi{fmu.version}"
        resources = str(fmu.folder / "resources")
        if fmu.version == 2:
            libc = ctypes.CDLL(None)
            self.callbacks = Callbacks(LOGGER_2(self._log_2), ALLOCATE(lambda n, size: ctypes.cast(libc.calloc, ALLOCATE)(n, size)),
                                       RELEASE(lambda block: None), FINISHED(), None)
            self.function("Instantiate").restype = c_void_p
            self.c = self.function("Instantiate")(name.encode(), 1, fmu.token.encode(), ("file://" + urllib.parse.quote(resources)).encode(),
                                                  byref(self.callbacks), 0, int(is_logging))
        else:
            self.logger = LOGGER_3(self._log_3)
            self.function("InstantiateCoSimulation").restype = c_void_p
            self.c = self.function("InstantiateCoSimulation")(name.encode(), fmu.token.encode(), (resources + "/").encode(), c_bool(False),
                                                              c_bool(is_logging), c_bool(False), c_bool(False), None, c_size_t(0), None,
                                                              self.logger, None)
        if not self.c:
            raise Failed(f"no instance: {self.log}")
        self.c = c_void_p(self.c)

    def _log_2(self, _env, _name, status, category, text, argument):
        self.log.append((status, category.decode(), argument.decode() if text == b"%s" else text.decode()))

    def _log_3(self, _env, status, category, text):
        self.log.append((status, category.decode(), text.decode()))

    def function(self, name):
        return getattr(self.lib, self.prefix + name)

    def call(self, name, *arguments):
        """Returns the status."""
        return self.function(name)(self.c, *arguments)

    def need(self, name, *arguments):
        status = self.call(name, *arguments)
        if status > WARNING:
            raise Failed(f"{name} returned {status}: {self.log[-1:]}")

    def free(self):
        self.function("FreeInstance").restype = None
        self.function("FreeInstance")(self.c)
        self.c = None
        _ctypes.dlclose(self.lib._handle) # returns static thread-local storage, of which a process has little

    def enter(self, start_s=0.0, stop_s=None):
        has_stop = stop_s is not None
        if self.fmu.version == 2:
            self.need("SetupExperiment", 0, c_double(0), c_double(start_s), int(has_stop), c_double(stop_s or 0))
            self.need("EnterInitializationMode")
        else:
            self.need("EnterInitializationMode", c_bool(False), c_double(0), c_double(start_s), c_bool(has_stop), c_double(stop_s or 0))

    def begin(self, start_s=0.0, stop_s=None):
        self.enter(start_s, stop_s)
        self.need("ExitInitializationMode")

    def _access(self, verb, names, values):
        """Gets or sets variables of one type."""
        kind = self.fmu.by_name[names[0]].kind
        number = (c_uint32 * len(names))(*(self.fmu.by_name[name].number for name in names))
        item = {"Real": c_double, "Float64": c_double, "Integer": c_int, "Int32": c_int32,
                "Boolean": c_int if self.fmu.version == 2 else c_bool}[kind]
        block = (item * len(names))(*values)
        more = (c_size_t(len(names)),) if self.fmu.version == 3 else ()
        return self.call(verb + kind, number, c_size_t(len(names)), block, *more), list(block)

    def get(self, names):
        if not names:
            return []
        status, values = self._access("Get", names, [0] * len(names))
        if status > WARNING:
            raise Failed(f"get returned {status}: {self.log[-1:]}")
        return values

    def set(self, names, values):
        status, _ = self._access("Set", names, values)
        if status > WARNING:
            raise Failed(f"set returned {status}: {self.log[-1:]}")

    def set_slopes(self, names, slopes):
        number = (c_uint32 * len(names))(*(self.fmu.by_name[name].number for name in names))
        self.need("SetRealInputDerivatives", number, c_size_t(len(names)), (c_int * len(names))(*[1] * len(names)),
                  (c_double * len(names))(*slopes))

    def step(self, t_s, h_s):
        """Returns status, reached time and whether the simulation has ended."""
        if self.fmu.version == 2:
            status = self.call("DoStep", c_double(t_s), c_double(h_s), 1)
            reached, ended = c_double(t_s + h_s), c_int(0)
            if status == DISCARD:
                self.need("GetRealStatus", 2, byref(reached))
                self.need("GetBooleanStatus", 3, byref(ended))
            return status, reached.value, bool(ended.value)
        is_event, ended, is_early, reached = c_bool(), c_bool(), c_bool(), c_double()
        status = self.call("DoStep", c_double(t_s), c_double(h_s), c_bool(True), byref(is_event), byref(ended), byref(is_early),
                           byref(reached))
        return status, reached.value, ended.value

    def run(self, points, names):
        """Steps from points[0] to each further point. Returns the rows of values at all points."""
        rows = [self.get(names)]
        for t_s, end_s in zip(points, points[1:]):
            status, _, _ = self.step(t_s, end_s - t_s)
            if status > WARNING:
                raise Failed(f"step from {t_s} to {end_s} returned {status}: {self.log[-1:]}")
            rows.append(self.get(names))
        return rows

    # States. The names of functions differ between the versions.
    def _state_name(self, name):
        return name if self.fmu.version == 3 else name.replace("FMUState", "FMUstate").replace("Deserialize", "DeSerialize")

    def save(self, state=None):
        state = state or c_void_p()
        self.need(self._state_name("GetFMUState"), byref(state))
        return state

    def restore(self, state):
        self.need(self._state_name("SetFMUState"), state)

    def forget(self, state):
        self.need(self._state_name("FreeFMUState"), byref(state))

    def serialise(self, state):
        n = c_size_t()
        self.need(self._state_name("SerializedFMUStateSize"), state, byref(n))
        block = (c_uint8 * n.value)()
        self.need(self._state_name("SerializeFMUState"), state, block, n)
        return bytes(block)

    def deserialise(self, data):
        state = c_void_p()
        self.need(self._state_name("DeserializeFMUState"), (c_uint8 * len(data)).from_buffer_copy(data), c_size_t(len(data)), byref(state))
        return state
