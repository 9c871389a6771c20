"""Rules of FMI for the descriptions that `wrsim export` writes. check() returns the violations.

Sources: FMI 2.0 (2014), sections 2.2.1 to 2.2.8 and 4.3.1; FMI 3.0 (2022), sections 2.4.1 to 2.4.8 and 4.4.1.
"""
import re

BASES = {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"}
ORDER = {2: ["CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment", "VendorAnnotations",
             "ModelVariables", "ModelStructure"],
         3: ["CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure",
             "Annotations"]}
TYPES = {2: {"Real", "Integer", "Boolean"}, 3: {"Float64", "Int32", "Boolean"}}
# Allowed variability of each causality, with the values of initial without an attribute `initial`.
COMBINATIONS = {("parameter", "fixed"), ("parameter", "tunable"), ("input", "discrete"), ("input", "continuous"),
                ("output", "discrete"), ("output", "continuous"), ("independent", "continuous")}


def check_head(root, version):
    yield from (f"attribute {name} is missing" for name in
                ("fmiVersion", "modelName", "guid" if version == 2 else "instantiationToken") if not root.get(name))
    tags = [element.tag for element in root]
    places = [ORDER[version].index(tag) if tag in ORDER[version] else -1 for tag in tags]
    if -1 in places or places != sorted(set(places)):
        yield f"wrong elements or order: {tags}"
    identifier = root.find("CoSimulation").get("modelIdentifier")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", identifier):
        yield f"modelIdentifier {identifier} is no identifier of C"
    if version == 2 and "numberOfEventIndicators" in root.attrib:
        yield "an FMU of co-simulation has no event indicators"
    experiment = root.find("DefaultExperiment")
    if not float(experiment.get("startTime")) < float(experiment.get("stopTime")):
        yield "the default experiment has no length"


def check_units(root):
    names = [unit.get("name") for unit in root.find("UnitDefinitions")]
    if len(set(names)) < len(names):
        yield "a unit is defined twice"
    for base in root.find("UnitDefinitions").iter("BaseUnit"):
        if not set(base.attrib) <= BASES:
            yield f"a base unit has {set(base.attrib) - BASES}"
        for name, value in base.attrib.items():
            if name not in ("factor", "offset"):
                int(value)
    used = {element.get("unit") for element in root.find("ModelVariables").iter() if element.get("unit")}
    yield from (f"unit {unit} is not defined" for unit in used - set(names))


def check_variables(root, version):
    names, numbers = set(), set()
    for element in root.find("ModelVariables"):
        inner = element[0] if version == 2 else element
        name, number = element.get("name"), int(element.get("valueReference"))
        if version == 2 and (element.tag != "ScalarVariable" or len(element) != 1):
            yield f"{name}: no scalar variable with one type"
        if inner.tag not in TYPES[version]:
            yield f"{name}: type {inner.tag}"
        if name in names or number in numbers:
            yield f"{name}: name or value reference {number} occurs twice"
        names.add(name)
        numbers.add(number)
        causality, variability = element.get("causality"), element.get("variability")
        if (causality, variability) not in COMBINATIONS:
            yield f"{name}: {causality} with {variability}"
        if variability == "continuous" and inner.tag not in ("Real", "Float64"):
            yield f"{name}: continuous without a real type"
        has_start = inner.get("start") is not None
        if has_start != (causality in ("parameter", "input")):
            yield f"{name}: {causality} {'with' if has_start else 'without'} a start value"
        low, high = float(inner.get("min", "-inf")), float(inner.get("max", "inf"))
        if low > high or (has_start and inner.tag != "Boolean" and not low <= float(inner.get("start")) <= high):
            yield f"{name}: start {inner.get('start')} is not from {low} to {high}"
        if not float(inner.get("nominal", "1")) > 0:
            yield f"{name}: nominal {inner.get('nominal')}"
    if sum(element.get("causality") == "independent" for element in root.find("ModelVariables")) != 1:
        yield "not one independent variable"


def check_structure(root, version):
    """Lists of the indices (FMI 2.0) or value references (FMI 3.0) of all outputs."""
    variables = list(root.find("ModelVariables"))
    outputs = [i + 1 if version == 2 else int(v.get("valueReference")) for i, v in enumerate(variables) if v.get("causality") == "output"]
    structure = root.find("ModelStructure")
    if version == 2:
        lists = {tag: list(structure.find(tag)) if structure.find(tag) is not None else [] for tag in ("Outputs", "InitialUnknowns")}
        found = {tag: [int(unknown.get("index")) for unknown in rows] for tag, rows in lists.items()}
        yield from (f"{tag} is empty" for tag in lists if structure.find(tag) is not None and not lists[tag])
    else:
        lists = {"Outputs": structure.findall("Output"), "InitialUnknowns": structure.findall("InitialUnknown")}
        found = {tag: [int(unknown.get("valueReference")) for unknown in rows] for tag, rows in lists.items()}
    for tag, rows in found.items():
        if rows != outputs:
            yield f"{tag}: {rows} instead of the outputs {outputs}"
        if rows != sorted(set(rows)):
            yield f"{tag} is not in ascending order"
    known = {i + 1 if version == 2 else int(v.get("valueReference")) for i, v in enumerate(variables)}
    for rows in lists.values():
        for unknown in rows:
            if not {int(word) for word in unknown.get("dependencies", "").split()} <= known:
                yield f"unknown dependencies {unknown.get('dependencies')}"


def check(root):
    version = int(root.get("fmiVersion")[0])
    return [*check_head(root, version), *check_units(root), *check_variables(root, version), *check_structure(root, version)]
