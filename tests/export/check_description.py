"""Checks an FMU by rules of FMI 2.0.5 and 3.0.2: check_description.py [--needed-functions] FMU ...

Prints one sentence for each violation. The exit code is 1 if an FMU violates a rule. Clocks and scheduled execution have no rules here, so
the checker reports these as violations. --needed-functions: the binary may omit functions that its capability flags do not need.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import description_schema

# Rows: causality; columns: constant, fixed, tunable, discrete, continuous. Values: allowed initial, first the default (FMI 2.0.5 section 2.2.7,
# FMI 3.0.2 section 2.4.7.4). -: the combination is not allowed. none: initial is not allowed.
COMBINATIONS = """
parameter            -                 exact             exact             -                        -
structuralParameter  -                 exact             exact             -                        -
calculatedParameter  -                 calculated,approx calculated,approx -                        -
input                -                 -                 -                 exact                    exact
output               exact             -                 -                 calculated,exact,approx  calculated,exact,approx
local                exact             calculated,approx calculated,approx calculated,exact,approx  calculated,exact,approx
independent          -                 -                 -                 -                        none
"""
INITIALS = {(row.split()[0], variability): cell.split(",") for row in COMBINATIONS.strip().splitlines()
            for variability, cell in zip(("constant", "fixed", "tunable", "discrete", "continuous"), row.split()[1:])}
PLATFORMS = {2: {"x86_64": "linux64", "i686": "linux32"}, 3: {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"}}
IDENTIFIER = r"([A-Za-z_]\w*|'([\w!#$%&()*+,\-./:;<>=?@\[\]^{}|~ ]|\\['\"?\\abfnrtv])+')"
PATH = rf"{IDENTIFIER}(\[\d+(,\d+)*\])?(\.{IDENTIFIER}(\[\d+(,\d+)*\])?)*"
STRUCTURED = re.compile(rf"{PATH}|der\({PATH}(,\d+)?\)", re.ASCII)

STATE_2 = "GetFMUstate SetFMUstate FreeFMUstate"
SERIALISE_2 = "SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate"
STATE_3 = "GetFMUState SetFMUState FreeFMUState"
SERIALISE_3 = "SerializedFMUStateSize SerializeFMUState DeserializeFMUState"
NUMERIC_3 = "Float64 Float32 Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Boolean"
# Version -> need -> functions. "all": needed by a user with all functions only.
FUNCTIONS = {
    2: {"both": "GetTypesPlatform GetVersion Instantiate FreeInstance SetupExperiment EnterInitializationMode ExitInitializationMode Terminate "
                "Reset GetReal SetReal GetInteger SetInteger GetBoolean SetBoolean",
        "all": "SetDebugLogging GetString SetString",
        "canGetAndSetFMUstate": STATE_2, "canSerializeFMUstate": SERIALISE_2, "providesDirectionalDerivative": "GetDirectionalDerivative",
        "ModelExchange": "EnterEventMode NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates "
                         "GetDerivatives GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates",
        "CoSimulation": "DoStep GetRealStatus GetBooleanStatus", "CoSimulation all": "CancelStep GetStatus GetIntegerStatus GetStringStatus",
        "canInterpolateInputs": "SetRealInputDerivatives", "maxOutputDerivativeOrder": "GetRealOutputDerivatives"},
    3: {"both": "GetVersion FreeInstance EnterInitializationMode ExitInitializationMode Terminate Reset "
                + " ".join(f"Get{kind} Set{kind}" for kind in NUMERIC_3.split()),
        "all": "SetDebugLogging GetString SetString GetBinary SetBinary GetClock SetClock GetNumberOfVariableDependencies "
               "GetVariableDependencies GetAdjointDerivative EnterConfigurationMode ExitConfigurationMode GetIntervalDecimal GetIntervalFraction "
               "GetShiftDecimal GetShiftFraction SetIntervalDecimal SetIntervalFraction SetShiftDecimal SetShiftFraction "
               "EvaluateDiscreteStates GetNumberOfContinuousStates GetNumberOfEventIndicators InstantiateScheduledExecution "
               "ActivateModelPartition InstantiateModelExchange InstantiateCoSimulation EnterEventMode UpdateDiscreteStates EnterStepMode "
               "EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates GetContinuousStateDerivatives GetEventIndicators "
               "GetContinuousStates GetNominalsOfContinuousStates GetOutputDerivatives DoStep GetDirectionalDerivative "
               f"{STATE_3} {SERIALISE_3}",
        "canGetAndSetFMUState": STATE_3, "canSerializeFMUState": SERIALISE_3, "providesDirectionalDerivatives": "GetDirectionalDerivative",
        "ModelExchange": "InstantiateModelExchange EnterEventMode UpdateDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime "
                         "SetContinuousStates GetContinuousStateDerivatives GetEventIndicators GetContinuousStates "
                         "GetNominalsOfContinuousStates",
        "CoSimulation": "InstantiateCoSimulation DoStep", "hasEventMode": "EnterEventMode UpdateDiscreteStates EnterStepMode",
        "maxOutputDerivativeOrder": "GetOutputDerivatives"}}


class Variable:
    """A variable with the defaults of its version. number: what the model structure refers to."""

    def __init__(self, element, position, version):
        inner = element if version == 3 else next((child for child in element if child.tag != "Annotations"), element)
        self.name, self.kind, self.inner = element.get("name", ""), inner.tag, inner
        self.is_real = self.kind in ("Real", "Float64", "Float32")
        self.reference = int(element.get("valueReference"))
        self.number = self.reference if version == 3 else position
        self.causality = element.get("causality", "local")
        is_parameter = self.causality.lower().endswith("parameter")
        default = "continuous" if version == 2 or self.is_real else "discrete"
        self.variability = element.get("variability", "fixed" if version == 3 and is_parameter else default)
        self.given = element.get("initial")
        self.initials = INITIALS[self.causality, self.variability]
        self.initial = self.given or self.initials[0]
        self.start = inner.get("start")
        if self.kind in ("String", "Binary") and version == 3:
            self.start = inner.findall("Start") or None
        self.element = element

    def __str__(self):
        return f'Variable "{self.name}"'


class Description:
    """A parsed description. number_of: the attribute of the model structure that refers to a variable."""

    def __init__(self, root, version):
        self.root, self.version = root, version
        self.variables = [Variable(element, i + 1, version) for i, element in enumerate(root.find("ModelVariables"))]
        self.by_number = {v.number: v for v in self.variables}
        self.interfaces = [root.find(tag) for tag in ("ModelExchange", "CoSimulation") if root.find(tag) is not None]
        self.key = "index" if version == 2 else "valueReference"
        self.types = {t.get("name"): t for t in root.findall("TypeDefinitions/*")}
        self.units = {u.get("name"): u for u in root.findall("UnitDefinitions/Unit")}
        lists = (("Outputs/Unknown", "Derivatives/Unknown", "InitialUnknowns/Unknown", "-") if version == 2 else
                 ("Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator"))
        self.outputs, self.derivatives, self.unknowns, self.indicators = (root.findall("ModelStructure/" + path) for path in lists)
        numbers = [int(v.inner.get("derivative")) for v in self.chosen(self.derivatives) if v.inner.get("derivative")]
        self.states = [self.by_number[k] for k in numbers if k in self.by_number]

    def chosen(self, items):
        return [self.by_number[int(item.get(self.key))] for item in items if int(item.get(self.key)) in self.by_number]

    def type_of(self, v):
        """Returns the definition of the type that a variable declares, or None."""
        declared = self.types.get(v.inner.get("declaredType"))
        return declared[0] if declared is not None and self.version == 2 else declared

    def attribute(self, v, name):
        """Returns an attribute of a variable, or of its type if the variable has no such attribute."""
        declared = self.type_of(v)
        return v.inner.get(name, declared.get(name) if declared is not None else None)


def is_true(element, name):
    return element.get(name, "false") in ("true", "1")


def repeated(names):
    seen = set()
    return sorted({name for name in names if name in seen or seen.add(name)}, key=str)


# ---- rules: generators of sentences ----

def check_units(d):
    for name in repeated(u.get("name") for u in d.root.findall("UnitDefinitions/Unit")):
        yield f'Unit "{name}" is defined twice.'
    for name, unit in d.units.items():
        for double in repeated(display.get("name") for display in unit.findall("DisplayUnit")):
            yield f'Unit "{name}" has two display units "{double}".'
        for part in [unit.find("BaseUnit")] * (unit.find("BaseUnit") is not None) + unit.findall("DisplayUnit"):
            factor, offset = float(part.get("factor", "1")), float(part.get("offset", "0"))
            if not (0 < abs(factor) < float("inf")) or not abs(offset) < float("inf"):
                yield f'Unit "{name}": {part.tag} has the factor {factor} and the offset {offset}, so values cannot be converted.'
            if is_true(part, "inverse") and offset != 0:
                yield f'Unit "{name}": the inverse display unit "{part.get("name")}" has an offset.'


def check_quantity(d, owner, attribute):
    """Checks unit, limits and nominal value of a type or a variable. attribute: name -> text or None."""
    unit, display = attribute("unit"), attribute("displayUnit")
    if unit is not None and unit not in d.units:
        yield f'{owner} has the unit "{unit}", which UnitDefinitions does not define.'
    if display is not None and unit is None:
        yield f'{owner} has the display unit "{display}" but no unit.'
    elif display is not None and unit in d.units and d.version == 3:
        if display not in (item.get("name") for item in d.units[unit].findall("DisplayUnit")):
            yield f'{owner} has the display unit "{display}", which the unit "{unit}" does not define.'
    low, high, nominal = (None if attribute(key) is None else float(attribute(key)) for key in ("min", "max", "nominal"))
    if low is not None and high is not None and not low <= high:
        yield f"{owner} has the min {low:g}, which exceeds its max {high:g}."
    if nominal is not None and not 0 < nominal < float("inf"):
        yield f"{owner} has the nominal value {nominal:g}, which is not positive and finite."


def check_types(d):
    for name in repeated(t.get("name") for t in d.root.findall("TypeDefinitions/*")):
        yield f'Type "{name}" is defined twice.'
    for name in sorted(set(d.types) & {v.name for v in d.variables}):
        yield f'Type "{name}" has the name of a variable.'
    for name, element in d.types.items():
        inner = element[0] if d.version == 2 else element
        yield from check_quantity(d, f'Type "{name}"', inner.get)
        for key in ("name", "value"):
            for double in repeated(item.get(key) for item in inner.findall("Item")):
                yield f'Type "{name}" has two items of the {key} "{double}".'


def check_names(d):
    names = [v.name for v in d.variables] + [alias.get("name") for v in d.variables for alias in v.inner.findall("Alias")]
    for name in repeated(names):
        yield f'Two variables have the name "{name}".'
    is_structured = d.root.get("variableNamingConvention") == "structured"
    for name in names:
        if not name:
            yield "A variable has an empty name."
        elif is_structured and not STRUCTURED.fullmatch(name):
            yield f'Variable "{name}": its name does not follow the naming convention "structured".'


def base(v):
    return "Integer" if v.kind == "Enumeration" else v.kind


def is_settable(v):
    return v.causality in ("parameter", "input") or (v.initial in ("exact", "approx") and v.variability != "constant")


def check_references(d):
    sets = {}
    for v in d.variables:
        sets.setdefault(v.reference if d.version == 3 else (base(v), v.reference), []).append(v)
    for same in sets.values():
        names = ", ".join(f'"{v.name}"' for v in same)
        if len(same) == 1:
            continue
        if d.version == 3:
            yield f"Variables {names} have the same value reference {same[0].reference}."
            continue
        n_settable = sum(map(is_settable, same))
        if n_settable > 1 or (n_settable and any(v.causality == "independent" for v in same)):
            yield f"Aliases {names}: one variable can be set and another one can be set or is independent."
        if len({v.variability == "constant" for v in same}) > 1:
            yield f"Aliases {names}: only some of them are constant."
        elif same[0].variability == "constant" and len({v.start for v in same}) > 1:
            yield f"Aliases {names}: the constants have different start values."
        if len({d.attribute(v, "unit") for v in same}) > 1:
            yield f"Aliases {names} have different units."


def check_variables(d):
    for v in d.variables:
        yield from check_combination(d, v)
        yield from check_start(d, v)
        yield from check_quantity(d, v, lambda key, v=v: d.attribute(v, key))
        declared = v.inner.get("declaredType")
        if declared is not None:
            kind = d.type_of(v)
            if kind is None:
                yield f'{v} has the type "{declared}", which TypeDefinitions does not define.'
            elif kind.tag.removesuffix("Type") != v.kind:
                yield f'{v} of type {v.kind} declares the type "{declared}" of type {kind.tag.removesuffix("Type")}.'
        yield from check_derivative(d, v)
        if d.version == 3:
            yield from check_array(d, v)
            if v.kind == "Clock" or v.element.get("clocks") or v.element.get("previous"):
                yield f"{v}: this checker has no rules for clocks."
            if is_true(v.element, "intermediateUpdate") and v.variability != "continuous":
                yield f"{v} has an intermediate update, but it is not continuous."
        if v.element.get("canHandleMultipleSetPerTimeInstant") and v.causality != "input":
            yield f"{v} has the attribute canHandleMultipleSetPerTimeInstant, but it is no input."
        if d.version == 2 and d.root.find("ModelExchange") is None:
            for key, element in (("canHandleMultipleSetPerTimeInstant", v.element), ("reinit", v.inner)):
                if element.get(key):
                    yield f"{v} has the attribute {key}, which an FMU of co-simulation alone must not have."
    n_independent = sum(v.causality == "independent" for v in d.variables)
    if n_independent > 1 or (d.version == 3 and n_independent == 0):
        yield f"The number of independent variables is {n_independent} instead of {'at most ' * (d.version == 2)}1."


def check_combination(d, v):
    if v.initials == ["-"]:
        yield f"{v} has the causality {v.causality} and the variability {v.variability}, which do not combine."
    elif v.given and (v.given not in v.initials or (v.causality == "input" and d.version == 2)):
        yield f'{v} of causality {v.causality} and variability {v.variability} must not have initial "{v.given}".'
    if v.variability == "continuous" and not v.is_real:
        yield f"{v} of type {v.kind} is continuous, which only reals can be."
    if v.causality == "independent" and not v.is_real:
        yield f"{v} is independent, but of type {v.kind}."


def check_start(d, v):
    needs = v.causality == "input" or v.initial in ("exact", "approx")
    if v.kind == "Clock" or v.initials == ["-"]:
        return
    if needs and v.start is None:
        yield f"{v} needs a start value."
    if not needs and v.start is not None:
        yield f"{v} must not have a start value, because its initial value is calculated or it is independent."
    if v.start is None or v.kind in ("String", "Binary", "Boolean"):
        return
    values = [float(text) for text in v.start.split()]
    low, high = (d.attribute(v, key) for key in ("min", "max"))
    if any((low is not None and value < float(low)) or (high is not None and value > float(high)) for value in values):
        yield f"{v} has the start value {v.start} outside of its min and max."
    if v.kind == "Enumeration" and d.type_of(v) is not None:
        if not set(values) <= {float(item.get("value")) for item in d.type_of(v).findall("Item")}:
            yield f"{v} has the start value {v.start}, which is no item of its type."
    size = INTEGER_RANGES.get(v.kind)
    if size and not all(size[0] <= int(text) <= size[1] for text in v.start.split()):
        yield f"{v} has the start value {v.start}, which exceeds its type {v.kind}."


INTEGER_RANGES = {name.replace("int", "Int").replace("uI", "UI"): limits for name, limits in description_schema.INTEGERS.items()}


def check_derivative(d, v):
    text = v.inner.get("derivative")
    if text is None:
        return
    of = d.by_number.get(int(text))
    if of is None or of is v:
        yield f"{v} is the derivative of the variable {text}, which does not exist or is the variable itself."
    elif not of.is_real or of.variability != "continuous" or v.variability != "continuous":
        yield f"{v} is the derivative of {of.name}, but one of them is not continuous."


def check_array(d, v):
    n = 1
    for dimension in v.inner.findall("Dimension"):
        start, reference = dimension.get("start"), dimension.get("valueReference")
        if (start is None) == (reference is None):
            yield f"{v}: a dimension has both or none of the attributes start and valueReference."
            return
        if reference is not None:
            size = d.by_number.get(int(reference))
            if size is None or size.kind != "UInt64" or not (size.causality == "structuralParameter" or size.variability == "constant"):
                yield f"{v}: the variable {reference} of a dimension is no constant or structural parameter of type UInt64."
                return
            start = size.start or "0"
        if int(start) == 0:
            yield f"{v}: a dimension has the size 0."
        n *= int(start)
    if v.causality == "structuralParameter" and v.inner.find("Dimension") is not None:
        yield f"{v} is a structural parameter, so it must not be an array."
    n_start = 1 if v.start is None else len(v.start if isinstance(v.start, list) else v.start.split())
    if n_start not in (1, n):
        yield f"{v} has {n_start} start values and {n} elements."


def check_structure(d):
    parts = (("outputs", d.outputs), ("derivatives", d.derivatives), ("initial unknowns", d.unknowns), ("event indicators", d.indicators))
    for name, items in parts:
        numbers = [int(item.get(d.key)) for item in items]
        for number in repeated(numbers):
            yield f"The {name} of ModelStructure have the {d.key} {number} twice."
        for number in numbers:
            if number not in d.by_number:
                yield f"The {name} of ModelStructure refer to the {d.key} {number}, which no variable has."
    yield from check_exact("outputs", d.chosen(d.outputs), [v for v in d.variables if v.causality == "output"])
    unknown = [v for v in d.variables if (v.causality == "output" and v.initial in ("approx", "calculated"))
               or v.causality == "calculatedParameter"
               or (v in d.states + d.chosen(d.derivatives) and v.initial in ("approx", "calculated"))]
    yield from check_exact("initial unknowns", d.chosen(d.unknowns), unknown)
    if d.version == 2:
        numbers = [int(item.get("index")) for item in d.unknowns]
        if numbers != sorted(numbers):
            yield "The initial unknowns of ModelStructure are not in the order of their indices."
    for v in d.chosen(d.derivatives):
        if v.inner.get("derivative") is None:
            yield f"{v} is among the derivatives of ModelStructure, but has no attribute derivative."
    for state in d.states:
        if state.causality not in ("local", "output"):
            yield f"{state} is a state of causality {state.causality} instead of local or output."
    for v in d.chosen(d.indicators):
        if not v.is_real or v.variability != "continuous" or v.causality not in ("local", "output"):
            yield f"{v} is an event indicator, but no continuous real of causality local or output."
    for name, items in parts:
        for item in items:
            yield from check_dependencies(d, name, item)


def check_exact(name, listed, expected):
    for v in expected:
        if v not in listed:
            yield f"{v} is missing in the {name} of ModelStructure."
    for v in listed:
        if v not in expected:
            yield f"{v} must not be in the {name} of ModelStructure."


def check_dependencies(d, name, item):
    unknown = d.by_number.get(int(item.get(d.key)))
    owner = f"The {name} of ModelStructure, {d.key} {item.get(d.key)}"
    kinds, text = item.get("dependenciesKind"), item.get("dependencies")
    numbers = [int(word) for word in (text or "").split()]
    if kinds is not None and text is None:
        yield f"{owner}: dependenciesKind stands without dependencies."
    elif kinds is not None and len(kinds.split()) != len(numbers):
        yield f"{owner}: {len(kinds.split())} kinds of {len(numbers)} dependencies."
    is_initial = name == "initial unknowns"
    for kind in (kinds or "").split():
        if (kind != "dependent" and unknown and not unknown.is_real) or (is_initial and kind not in ("dependent", "constant")):
            yield f"{owner}: the kind of dependency {kind} is not allowed for this unknown."
    if repeated(numbers) or (d.version == 2 and numbers != sorted(numbers)):
        yield f"{owner}: the dependencies {text} are not in order, or one is there twice."
    has_derivatives = any(is_true(i, "providesDirectionalDerivative") for i in d.interfaces) or d.root.find("ModelExchange") is not None
    for number in numbers:
        v = d.by_number.get(number)
        if v is None:
            yield f"{owner}: the dependency {number} is no variable."
        elif is_initial:
            if v.causality not in ("input", "independent") and v.initial != "exact":
                yield f"{owner} depends on {v.name}, which is no input, no exact variable and not independent."
        elif v.causality not in ("input", "independent") and v not in d.states and not (
                d.version == 3 and (v.causality == "parameter" or v.variability == "discrete")):
            yield f"{owner} depends on {v.name}, which is no known of this list."
        elif d.version == 2 and v in d.states and not has_derivatives:
            yield f"{owner} depends on the state {v.name}, but the FMU provides no directional derivatives."


def check_head(d):
    token = "guid" if d.version == 2 else "instantiationToken"
    for key in ("modelName", token):
        if not d.root.get(key):
            yield f"The attribute {key} is empty."
    if d.root.find("ScheduledExecution") is not None:
        yield "This checker has no rules for scheduled execution."
    for name in repeated(c.get("name") for c in d.root.findall("LogCategories/Category")):
        yield f'The log category "{name}" is there twice.'
    experiment = d.root.find("DefaultExperiment")
    if experiment is not None:
        value = {key: float(text) for key, text in experiment.attrib.items()}
        for key in ("stepSize", "tolerance"):
            if not 0 < value.get(key, 1) < float("inf"):
                yield f"DefaultExperiment has the {key} {value[key]:g}, which is not positive and finite."
        if not value.get("startTime", 0) <= value.get("stopTime", float("inf")):
            yield "DefaultExperiment has a startTime after its stopTime."
    state = "FMUstate" if d.version == 2 else "FMUState"
    for interface in d.interfaces:
        for flag, need in ((f"canSerialize{state}", f"canGetAndSet{state}"),
                           ("canReturnEarlyAfterIntermediateUpdate", "providesIntermediateUpdate")):
            if is_true(interface, flag) and not is_true(interface, need):
                yield f"{interface.tag} has the flag {flag} without {need}."
        if interface.get("fixedInternalStepSize") and not float(interface.get("fixedInternalStepSize")) > 0:
            yield f"{interface.tag} has a fixedInternalStepSize that is not positive."


@functools.lru_cache
def exported_functions(binary):
    """Returns the names of the functions that a binary, given as bytes, exports."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(binary)
        file.flush()
        listed = subprocess.run(["nm", "-D", "--defined-only", file.name], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {words[-1] for words in map(str.split, listed.splitlines()) if words[-2] in "TWi"}


def check_binary(d, archive, is_all):
    platform = PLATFORMS[d.version].get(os.uname().machine)
    for interface in d.interfaces:
        identifier = interface.get("modelIdentifier")
        if not re.fullmatch(r"[A-Za-z_]\w*", identifier, re.ASCII):
            yield f'The model identifier "{identifier}" of {interface.tag} is no name in C.'
        path = f"binaries/{platform}/{identifier}.so"
        if path not in archive.namelist():
            yield f"The archive has no {path}."
            continue
        needed = {"both", interface.tag} | ({"all", f"{interface.tag} all"} if is_all else set())
        needed |= {key for key in interface.attrib if is_true(interface, key) or (key.startswith("max") and interface.get(key) != "0")}
        functions = exported_functions(archive.read(path))
        for need in sorted(needed & set(FUNCTIONS[d.version])):
            for name in FUNCTIONS[d.version][need].split():
                if f"fmi{d.version}{name}" not in functions:
                    yield f"{path} does not export fmi{d.version}{name}, which {reason(need, interface.tag)} needs."


def reason(need, tag):
    return {"both": f"an FMU of {tag}", "all": "every FMU", "CoSimulation all": "every FMU of CoSimulation"}.get(need, need)


def check_archive(archive):
    for info in archive.infolist():
        if info.filename.startswith("/") or "\\" in info.filename or ".." in info.filename.split("/"):
            yield f'The archive has the file name "{info.filename}", which is no path below its top.'
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            yield f'The file "{info.filename}" of the archive is neither stored nor deflated.'
    for name in repeated(archive.namelist()):
        yield f'The archive has the file "{name}" twice.'


def violations(path, is_all=True):
    """Returns the sentences on an FMU."""
    try:
        with zipfile.ZipFile(path) as archive:
            root = ElementTree.fromstring(archive.read("modelDescription.xml"))
            version = int(root.get("fmiVersion", "?")[0]) if root.get("fmiVersion", "?")[0] in "23" else 0
            if root.tag != "fmiModelDescription" or version == 0:
                return ["The description is not of FMI 2.0 or 3.0."]
            found = list(check_archive(archive)) + list(description_schema.violations(root, version))
            if found:   # the other rules read elements and attributes of the schema
                return found
            d = Description(root, version)
            for rule in (check_head, check_units, check_types, check_names, check_references, check_variables, check_structure):
                found += rule(d)
            return found + list(check_binary(d, archive, is_all))
    except (OSError, zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        return [f"The archive or its modelDescription.xml cannot be read: {error}"]


def main():
    words = sys.argv[1:]
    is_all = "--needed-functions" not in words
    paths = [word for word in words if word != "--needed-functions"]
    if not paths or any(path.startswith("-") for path in paths):
        print(__doc__, file=sys.stderr)
        return 2
    n = 0
    for path in paths:
        for sentence in violations(path, is_all):
            print(f"{path}: {sentence}")
            n += 1
    return 1 if n else 0


if __name__ == "__main__":
    sys.exit(main())
