"""Makes a sample FMU: make_fmu.py OUTPUT BINARY VERSION MODEL KINDS TOKEN FLAGS [TABLE]

MODEL names the table of variables, KINDS is me, cs or mecs, and FLAGS has capability flags, joined by commas. TABLE is a program that prints
the variables and patterns of the model (cylinder_table.c).
"""

import html
import subprocess
import sys
import zipfile

# Model -> variables: name, value reference, type of FMI 3.0, causality, variability, start, extra attributes or elements.
STATES = [("x", 0, "Float64", "local", "continuous", "1", ""), ("der(x)", 10, "Float64", "local", "continuous", None, "x"),
          ("v", 1, "Float64", "local", "continuous", "0", ""), ("der(v)", 11, "Float64", "local", "continuous", None, "v")]
MODELS = {
    "oscillator": STATES + [("w", 20, "Float64", "parameter", "tunable", "2", ""), ("u", 21, "Float64", "input", "continuous", "0", ""),
                            ("y", 22, "Float64", "output", "continuous", None, ""), ("early", 23, "Float64", "parameter", "tunable", "1e300", "")],
    "ball": STATES + [("e", 20, "Float64", "parameter", "tunable", "0.75", ""), ("n", 21, "Int32", "output", "discrete", None, ""),
                      ("g", 22, "Float64", "parameter", "tunable", "9.81", "")],
    "sampler": [("x", 0, "Float64", "local", "continuous", "0", ""), ("der(x)", 10, "Float64", "local", "continuous", None, "x"),
                ("u", 20, "Float64", "input", "continuous", "0", ""), ("T", 21, "Float64", "parameter", "tunable", "0.125", ""),
                ("y", 22, "Float64", "output", "discrete", None, ""), ("n", 23, "Int32", "output", "discrete", None, "")],
    "delay": [("x", 0, "Float64", "local", "continuous", "0", ""), ("der(x)", 10, "Float64", "local", "continuous", None, "x"),
              ("u", 20, "Float64", "input", "continuous", "0", ""), ("T", 21, "Float64", "parameter", "fixed", "0.1", ""),
              ("y", 22, "Float64", "output", "continuous", None, "")],
    "rewind": [("x", 0, "Float64", "local", "continuous", "0", ""), ("der(x)", 10, "Float64", "local", "continuous", None, "x"),
               ("u", 20, "Float64", "input", "continuous", "0", ""), ("k", 21, "Float64", "parameter", "fixed", "0", ""),
               ("y", 22, "Float64", "output", "continuous", None, ""), ("n", 23, "Int32", "output", "discrete", None, ""),
               ("v", 25, "Float64", "input", "continuous", "0", ""), ("held", 26, "Float64", "output", "discrete", None, "")],
    "thermostat": [("x", 0, "Float64", "local", "continuous", "10", ""), ("der(x)", 10, "Float64", "local", "continuous", None, "x"),
                   ("u", 20, "Float64", "input", "continuous", "0", ""), ("tau", 21, "Float64", "parameter", "fixed", "0.5", ""),
                   ("y", 0, "Float64", "output", "continuous", None, ""), ("on", 22, "Int32", "output", "discrete", None, ""),
                   ("n", 23, "Int32", "output", "discrete", None, "")],
    "tally": [("u", 20, "Int32", "input", "discrete", "0", ""), ("w", 21, "Float64", "input", "continuous", "0", ""),
              ("n", 22, "Int32", "output", "discrete", None, ""), ("jumps", 23, "Int32", "output", "discrete", None, ""),
              ("y", 24, "Float64", "output", "continuous", None, ""), ("events", 25, "Int32", "output", "discrete", None, "")],
    "array": [("a", 20, "Float64", "parameter", "tunable", "1 2 3", "3"), ("mode", 23, "Enumeration", "parameter", "tunable", "2", ""),
              ("on", 24, "Boolean", "input", "discrete", "false", ""), ("y", 25, "Float64", "output", "discrete", None, ""),
              ("k", 26, "Int32", "parameter", "tunable", "0", "")],
}
INDICATORS = {"ball": 1, "rewind": 1, "thermostat": 2}
FIRST_INDICATOR = 30
TIME = 39       # the time in FMI 3.0: the last number below SAMPLE_ROOM
MORE = {}       # variable -> further attributes of its type
DEPENDS = {}    # derivative, output or indicator -> the variables on which it depends
UNITS = []
TYPES2 = {"Float64": "Real", "Int32": "Integer", "Boolean": "Boolean", "Enumeration": "Enumeration"}


def quoteattr(text):
    """Returns an attribute's value. The import of xml.sax.saxutils would take most of the time of this script."""
    return f'"{html.escape(text)}"'


def scalars(variables):
    """Yields one variable for each element of an array, because FMI 2.0 has no arrays."""
    for name, number, kind, causality, variability, start, extra in variables:
        if kind == "Float64" and extra.isdigit():
            for i, value in enumerate(start.split()):
                yield f"{name}[{i + 1}]", number + i, kind, causality, variability, value, ""
        else:
            yield name, number, kind, causality, variability, start, extra


def read_table(model, program):
    """Takes the variables and patterns of a model from the table that a program prints."""
    rows = [line.split("\t") for line in subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
    variables, names = [], {}
    for number, kind, name, unit, start, nominal, low, high in (row for row in rows if row[0] != "depends"):
        names.setdefault(kind.split()[-1], []).append(f"z{number}" if kind == "indicator" else name)
        if kind == "indicator":
            continue
        MORE[name] = (f" unit={quoteattr(unit)}" + (f' nominal="{nominal}"' if float(nominal) > 0 else "")
                      + (f' min="{low}" max="{high}"' if float(low) < float(high) else ""))
        UNITS.extend([unit] if unit not in UNITS else [])
        if kind == "state output":      # the state becomes an output
            variables = [(*v[:3], "output", *v[4:]) if v[0] == name else v for v in variables]
            continue
        causality = {"state": "local"}.get(kind, kind)
        variables.append((name, int(number), "Float64", causality, "fixed" if kind == "parameter" else "continuous",
                          None if kind == "output" else start, ""))
        if kind == "state":
            variables.append((f"der({name})", int(number) + 40, "Float64", "local", "continuous", None, name))
    MODELS[model] = variables
    INDICATORS[model] = len(names["indicator"])
    names["derivative"] = [f"der({name})" for name in names["state"]]
    unknowns, knowns = ["derivative"] * 2 + ["output"] * 2 + ["indicator"] * 2, ["state", "input"] * 3    # the order of wrsim_pattern
    for _, pattern, row, column in (row for row in rows if row[0] == "depends"):
        unknown, known = names[unknowns[int(pattern)]][int(row)], names[knowns[int(pattern)]][int(column)]
        DEPENDS.setdefault(unknown, set()).add(known)
    for output in names["output"]:
        if output in names["state"]:
            DEPENDS[output] = {output}


def dependencies(name, key_of):
    """Returns the attribute with the dependencies of an unknown. key_of: variable -> its number in the attribute."""
    return f' dependencies="{" ".join(str(key_of[v]) for v in sorted(DEPENDS.get(name, ()), key=key_of.get))}"' if DEPENDS else ""


def version_2(model, identifier, kinds, token, flags):
    rows, variables = [], list(scalars(MODELS[model]))
    index = {v[0]: i + 1 for i, v in enumerate(variables)}
    for name, number, kind, causality, variability, start, extra in variables:
        attributes = f" start={quoteattr(start)}" if start else ""
        attributes += ' declaredType="Mode"' if kind == "Enumeration" else ""
        attributes += f' derivative="{index[extra]}"' if extra else ""
        attributes += MORE.get(name, "")
        initial = "calculated" if start is None else "exact"
        initial = "" if causality == "input" else f' initial="{initial}"'
        rows.append(f'<ScalarVariable name={quoteattr(name)} valueReference="{number}" causality="{causality}" '
                    f'variability="{variability}"{initial}><{TYPES2[kind]}{attributes}/></ScalarVariable>')

    def unknowns(tag, chosen):
        items = "".join(f'<Unknown index="{index[v[0]]}"{dependencies(v[0], index)}/>' for v in variables if chosen(v))
        return f"<{tag}>{items}</{tag}>" if items else ""

    structure = (unknowns("Outputs", lambda v: v[3] == "output") + unknowns("Derivatives", lambda v: v[6])
                 + unknowns("InitialUnknowns", lambda v: v[5] is None and (v[3] == "output" or v[6])))
    interface = "".join(f'<{tag} modelIdentifier="{identifier}"{flags}/>'
                        for short, tag in (("me", "ModelExchange"), ("cs", "CoSimulation")) if short in kinds)
    types = '<TypeDefinitions><SimpleType name="Mode"><Enumeration><Item name="a" value="1"/><Item name="b" value="2"/>' \
            '<Item name="c" value="3"/></Enumeration></SimpleType></TypeDefinitions>' if model == "array" else ""
    return (f'<fmiModelDescription fmiVersion="2.0" modelName="{model}" guid={quoteattr(token)} '
            f'numberOfEventIndicators="{INDICATORS.get(model, 0)}">{interface}{units()}{types}<ModelVariables>{"".join(rows)}</ModelVariables>'
            f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>")


def units():
    return f'<UnitDefinitions>{"".join(f"<Unit name={quoteattr(unit)}/>" for unit in UNITS)}</UnitDefinitions>' if UNITS else ""


def with_aliases(variables):
    """Returns the variables, and the further names of each value reference. In FMI 3.0 these names have the causality of the variable."""
    firsts, aliases = {}, {}
    for v in variables:
        first = firsts.setdefault(v[1], v)
        if first is not v:
            aliases.setdefault(v[1], []).append(v[0])
            firsts[v[1]] = (*first[:3], v[3], *first[4:])
    return list(firsts.values()), aliases


def version_3(model, identifier, kinds, token, flags):
    rows, (variables, aliases) = [], with_aliases(MODELS[model])
    number_of = {v[0]: v[1] for v in variables}
    for name, number, kind, causality, variability, start, extra in variables:
        attributes = f" start={quoteattr(start)}" if start else ""
        attributes += ' declaredType="Mode"' if kind == "Enumeration" else ""
        attributes += f' derivative="{number_of[extra]}"' if extra in number_of else ""
        attributes += MORE.get(name, "")
        initial = "calculated" if start is None else "exact"
        initial = "" if causality == "input" else f' initial="{initial}"'
        inside = f'<Dimension start="{extra}"/>' if extra.isdigit() else ""
        inside += "".join(f"<Alias name={quoteattr(alias)}/>" for alias in aliases.get(number, ()))
        inside = f">{inside}</{kind}>" if inside else "/>"
        rows.append(f'<{kind} name={quoteattr(name)} valueReference="{number}" causality="{causality}" '
                    f'variability="{variability}"{initial}{attributes}{inside}')
    indicators = range(FIRST_INDICATOR, FIRST_INDICATOR + INDICATORS.get(model, 0))
    rows += [f'<Float64 name="z{i}" valueReference="{i}" causality="local" variability="continuous" initial="calculated"/>' for i in indicators]
    rows.append(f'<Float64 name="time" valueReference="{TIME}" causality="independent" variability="continuous"/>')
    structure = "".join(f'<{tag} valueReference="{v[1]}"{dependencies(v[0], number_of)}/>' for tag, chosen in
                        (("Output", lambda v: v[3] == "output"), ("ContinuousStateDerivative", lambda v: v[6] in number_of),
                         ("InitialUnknown", lambda v: v[5] is None and (v[3] == "output" or v[6] in number_of))) for v in variables if chosen(v))
    structure += "".join(f'<EventIndicator valueReference="{i}"{dependencies(f"z{i}", number_of)}/>' for i in indicators)
    interface = "".join(f'<{tag} modelIdentifier="{identifier}"{flags}/>'
                        for short, tag in (("me", "ModelExchange"), ("cs", "CoSimulation")) if short in kinds)
    types = '<TypeDefinitions><EnumerationType name="Mode"><Item name="a" value="1"/><Item name="b" value="2"/>' \
            '<Item name="c" value="3"/></EnumerationType></TypeDefinitions>' if model == "array" else ""
    return (f'<fmiModelDescription fmiVersion="3.0" modelName="{model}" instantiationToken={quoteattr(token)}>'
            f'{interface}{units()}{types}<ModelVariables>{"".join(rows)}</ModelVariables>'
            f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>")


output, binary, version, model, kinds, token, flags = sys.argv[1:8]
if len(sys.argv) > 8:
    FIRST_INDICATOR, TIME = 300, 159
    read_table(model, sys.argv[8])
identifier = output.rsplit("/", 1)[-1].removesuffix(".fmu")
state = "state" if version == "2" else "State"
names = {"state": f"canGetAndSetFMU{state}", "serialise": f"canSerializeFMU{state}", "once": "canBeInstantiatedOnlyOncePerProcess",
         "directional": "providesDirectionalDerivative" + ("" if version == "2" else "s")}
names |= {"nosteps": "completedIntegratorStepNotNeeded"} if version == "2" else {}
names |= {"variable": "canHandleVariableCommunicationStepSize"} | ({"interpolates": "canInterpolateInputs"} if version == "2" else {"steps": "needsCompletedIntegratorStep", "events": "hasEventMode"})
fixed = ' fixedInternalStepSize="0.01"' if version == "3" and "fixed" in flags.split(",") else ""
flags = "".join(f' {names[flag]}="true"' for flag in flags.split(",") if flag in names) + fixed
text = (version_2 if version == "2" else version_3)(model, identifier, kinds, token, flags)
with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as fmu:
    fmu.writestr("modelDescription.xml", '<?xml version="1.0" encoding="UTF-8"?>\n' + text)
    fmu.write(binary, f"binaries/{'linux64' if version == '2' else 'x86_64-linux'}/{identifier}.so")
