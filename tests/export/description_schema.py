"""Elements and attributes of modelDescription.xml in FMI 2.0.5 and 3.0.2, from the schemas of these standards.

ELEMENTS[version]: "PARENT/TAG" or "TAG" -> attributes and children. An attribute is NAME:TYPE, with ! if the element must have it. A type is a
key of TYPES, or values with | between them. Children are a regular expression of tags that each end with a blank; ANY permits all.
"""
import re

ANY = None
DOUBLE = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN"
TYPES = {"text": r"(?s:.*)", "boolean": "true|false|0|1", "double": DOUBLE, "doubles": rf"({DOUBLE})(\s+({DOUBLE}))*",
         "booleans": r"(true|false|0|1)(\s+(true|false|0|1))*", "numbers": r"(\d+(\s+\d+)*)?", "integers": r"[+-]?\d+(\s+[+-]?\d+)*",
         "kinds": r"((dependent|constant|fixed|tunable|discrete)(\s+(dependent|constant|fixed|tunable|discrete))*)?",
         "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "version 2": r"2\.0", "version 3": r"3\.\d+(\.\d+)?(-.+)?"}
INTEGERS = {f"{'u' * (sign == 0)}int{bits}": (-sign * 2 ** (bits - 1), 2 ** (bits - sign) - 1) for bits in (8, 16, 32, 64) for sign in (0, 1)}
CAUSALITIES = "parameter|calculatedParameter|input|output|local|independent"
VARIABILITIES = "constant|fixed|tunable|discrete|continuous"
INITIALS = "exact|approx|calculated"
HEAD = ("modelName! description author version copyright license generationTool generationDateAndTime:time "
        "variableNamingConvention:flat|structured ")
BASE_UNIT = " ".join(f"{name}:int32" for name in "kg m s A K mol cd rad".split()) + " factor:double offset:double"
EXPERIMENT = "startTime:double stopTime:double tolerance:double stepSize:double"
REAL = "quantity unit displayUnit relativeQuantity:boolean unbounded:boolean min:double max:double nominal:double "

COMMON_2 = ("modelIdentifier! needsExecutionTool:boolean canBeInstantiatedOnlyOncePerProcess:boolean canNotUseMemoryManagementFunctions:boolean "
            "canGetAndSetFMUstate:boolean canSerializeFMUstate:boolean providesDirectionalDerivative:boolean ")
INTEGER_2 = "quantity min:int32 max:int32 "
VARIABLE_2 = ("name! valueReference:uint32! description canHandleMultipleSetPerTimeInstant:boolean "
              f"causality:{CAUSALITIES} variability:{VARIABILITIES} initial:{INITIALS}")
ELEMENTS_2 = {
    "fmiModelDescription": (HEAD + "fmiVersion:version_2! guid! numberOfEventIndicators:uint32",
                            "((ModelExchange )(CoSimulation )?|(CoSimulation )(ModelExchange )?)(UnitDefinitions )?(TypeDefinitions )?"
                            "(LogCategories )?(DefaultExperiment )?(VendorAnnotations )?(ModelVariables )(ModelStructure )"),
    "ModelExchange": (COMMON_2 + "completedIntegratorStepNotNeeded:boolean", "(SourceFiles )?"),
    "CoSimulation": (COMMON_2 + "canHandleVariableCommunicationStepSize:boolean canInterpolateInputs:boolean maxOutputDerivativeOrder:uint32 "
                     "canRunAsynchronuously:boolean", "(SourceFiles )?"),
    "SourceFiles": ("", "(File )+"),
    "File": ("name!", ""),
    "UnitDefinitions": ("", "(Unit )+"),
    "Unit": ("name!", "(BaseUnit )?(DisplayUnit )*"),
    "BaseUnit": (BASE_UNIT, ""),
    "DisplayUnit": ("name! factor:double offset:double", ""),
    "TypeDefinitions": ("", "(SimpleType )+"),
    "SimpleType": ("name! description", "(Real |Integer |Boolean |String |Enumeration )"),
    "SimpleType/Real": (REAL, ""),
    "SimpleType/Integer": (INTEGER_2, ""),
    "SimpleType/Boolean": ("", ""),
    "SimpleType/String": ("", ""),
    "SimpleType/Enumeration": ("quantity", "(Item )+"),
    "Item": ("name! value:int32! description", ""),
    "LogCategories": ("", "(Category )+"),
    "Category": ("name! description", ""),
    "DefaultExperiment": (EXPERIMENT, ""),
    "VendorAnnotations": ("", ANY),
    "ModelVariables": ("", "(ScalarVariable )+"),
    "ScalarVariable": (VARIABLE_2, "(Real |Integer |Boolean |String |Enumeration )(Annotations )?"),
    "ScalarVariable/Real": (REAL + "declaredType start:double derivative:uint32 reinit:boolean", ""),
    "ScalarVariable/Integer": (INTEGER_2 + "declaredType start:int32", ""),
    "ScalarVariable/Boolean": ("declaredType start:boolean", ""),
    "ScalarVariable/String": ("declaredType start", ""),
    "ScalarVariable/Enumeration": (INTEGER_2 + "declaredType! start:int32", ""),
    "Annotations": ("", ANY),
    "ModelStructure": ("", "(Outputs )?(Derivatives )?(InitialUnknowns )?"),
    "Outputs": ("", "(Unknown )+"),
    "Derivatives": ("", "(Unknown )+"),
    "InitialUnknowns": ("", "(Unknown )+"),
    "Unknown": ("index:uint32! dependencies:numbers dependenciesKind:kinds", ""),
}

NOTES = "(Annotations )?"
COMMON_3 = ("modelIdentifier! needsExecutionTool:boolean canBeInstantiatedOnlyOncePerProcess:boolean canGetAndSetFMUState:boolean "
            "canSerializeFMUState:boolean providesDirectionalDerivatives:boolean providesAdjointDerivatives:boolean "
            "providesPerElementDependencies:boolean providesEvaluateDiscreteStates:boolean ")
VARIABLE_3 = ("name! valueReference:uint32! description canHandleMultipleSetPerTimeInstant:boolean intermediateUpdate:boolean previous:uint32 "
              f"clocks:numbers causality:{CAUSALITIES}|structuralParameter variability:{VARIABILITIES} initial:{INITIALS} ")
CLOCK_3 = ("canBeDeactivated:boolean priority:uint32 intervalVariability! intervalDecimal:double shiftDecimal:double supportsFraction:boolean "
           "resolution:uint64 intervalCounter:uint64 shiftCounter:uint64 ")
# Type -> attributes of the type, attributes of the variable.
KINDS_3 = {"Float64": (REAL, "start:doubles derivative:uint32 reinit:boolean"), "Float32": (REAL, "start:doubles derivative:uint32 reinit:boolean"),
           **{f"{'U' * (k[0] == 'u')}Int{k.split('int')[1]}": (f"quantity min:{k} max:{k} ", "start:integers") for k in INTEGERS},
           "Boolean": ("", "start:booleans"), "String": ("", ""), "Binary": ("mimeType maxSize:uint64 ", ""),
           "Enumeration": ("quantity min:int64 max:int64 ", "start:integers"), "Clock": (CLOCK_3, "")}
TAGS_3 = "|".join(KINDS_3)
UNKNOWN_3 = ("valueReference:uint32! dependencies:numbers dependenciesKind:kinds", NOTES)
ELEMENTS_3 = {
    "fmiModelDescription": (HEAD + "fmiVersion:version_3! instantiationToken!",
                            "(?=ModelExchange|CoSimulation|ScheduledExecution)(ModelExchange )?(CoSimulation )?(ScheduledExecution )?"
                            "(UnitDefinitions )?(TypeDefinitions )?(LogCategories )?(DefaultExperiment )?(ModelVariables )(ModelStructure )" + NOTES),
    "ModelExchange": (COMMON_3 + "needsCompletedIntegratorStep:boolean", NOTES),
    "CoSimulation": (COMMON_3 + "canHandleVariableCommunicationStepSize:boolean fixedInternalStepSize:double maxOutputDerivativeOrder:uint32 "
                     "recommendedIntermediateInputSmoothness:int32 providesIntermediateUpdate:boolean mightReturnEarlyFromDoStep:boolean "
                     "canReturnEarlyAfterIntermediateUpdate:boolean hasEventMode:boolean", NOTES),
    "ScheduledExecution": (COMMON_3, NOTES),
    "UnitDefinitions": ("", "(Unit )+"),
    "Unit": ("name!", "(BaseUnit )?(DisplayUnit )*" + NOTES),
    "BaseUnit": (BASE_UNIT, ""),
    "DisplayUnit": ("name! factor:double offset:double inverse:boolean", NOTES),
    "TypeDefinitions": ("", rf"(({TAGS_3})Type )+"),
    **{f"{tag}Type": ("name! description " + own, "(Item )+" + NOTES if tag == "Enumeration" else NOTES) for tag, (own, _) in KINDS_3.items()},
    "Item": ("name! value:int64! description", NOTES),
    "LogCategories": ("", "(Category )+"),
    "Category": ("name! description", NOTES),
    "DefaultExperiment": (EXPERIMENT, NOTES),
    "ModelVariables": ("", rf"(({TAGS_3}) )+"),
    **{tag: (VARIABLE_3 + own + more + f" declaredType{'!' * (tag == 'Enumeration')}",
             NOTES + "(Dimension )*" + "(Start )*" * (tag in ("String", "Binary")) + "(Alias )*") for tag, (own, more) in KINDS_3.items()},
    "Dimension": ("start:uint64 valueReference:uint32", ""),
    "Start": ("value", ""),
    "Alias": ("name! description displayUnit", ""),
    "Annotations": ("", ANY),
    "ModelStructure": ("", "(Output )*(ContinuousStateDerivative )*(ClockedState )*(InitialUnknown )*(EventIndicator )*"),
    **{tag: UNKNOWN_3 for tag in ("Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator")},
}
ELEMENTS = {2: ELEMENTS_2, 3: ELEMENTS_3}


def is_of_type(value, kind):
    value = value.strip()
    if kind in INTEGERS:
        low, high = INTEGERS[kind]
        return bool(re.fullmatch(r"[+-]?\d+", value)) and low <= int(value) <= high
    return bool(re.fullmatch(TYPES.get(kind.replace("_", " "), kind), value))


def violations(element, version, parent=""):
    """Yields a sentence for each violation of the schema in an element and in its children."""
    tag = element.tag
    name = f"Element {tag}" + (f' "{element.get("name")}"' if element.get("name") else "")
    row = ELEMENTS[version].get(f"{parent}/{tag}") or ELEMENTS[version].get(tag)
    if row is None:
        yield f"{name}: the schema of FMI {version}.0 has no such element in {parent or 'a file'}."
        return
    words = [word.partition(":") for word in row[0].split()]
    types = {attribute.rstrip("!"): kind.rstrip("!") or "text" for attribute, _, kind in words}
    required = [attribute.rstrip("!") for attribute, _, kind in words if (attribute + kind).endswith("!")]
    for attribute, value in element.attrib.items():
        if attribute not in types:
            yield f"{name}: the schema of FMI {version}.0 has no attribute {attribute} here."
        elif not is_of_type(value, types[attribute]):
            yield f'{name}: the value "{value}" of the attribute {attribute} is not of type {types[attribute]}.'
    for attribute in required:
        if attribute not in element.attrib:
            yield f"{name}: the attribute {attribute} is missing."
    if row[1] is not ANY:
        tags = "".join(f"{child.tag} " for child in element)
        if not re.fullmatch(row[1], tags):
            yield f"{name}: its children {tags if len(tags) < 200 else tags[:200] + '... '}do not match {row[1] or 'an empty element'}."
        for child in element:
            yield from violations(child, version, tag)
