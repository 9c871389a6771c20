"""The rule checker of descriptions: right FMUs pass, and each broken description gives the sentence of its rule.

    description_rules.py --fmus FOLDER [test] ...
"""
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import check_description
import tap
from tap import expect

X2 = '<ScalarVariable name="x" valueReference="0" causality="local" variability="continuous" initial="exact"><Real start="1"/></ScalarVariable>'
U2 = '<ScalarVariable name="u" valueReference="21" causality="input" variability="continuous"><Real start="0"/></ScalarVariable>'
W2 = 'name="w" valueReference="20" causality="parameter" variability="tunable" initial="exact"><Real start="2"/>'
UNITS = '<UnitDefinitions><Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit></UnitDefinitions>'
LIST = "<ModelVariables>"
TIME3 = '<Float64 name="time" valueReference="39" causality="independent" variability="continuous"/>'
U3 = '<Float64 name="u" valueReference="21" causality="input" variability="continuous" start="0"/>'
W3 = 'name="w" valueReference="20" causality="parameter" variability="tunable" initial="exact" start="2"'
Y3 = '<Float64 name="y" valueReference="22" causality="output" variability="continuous" initial="calculated"/>'
KIND = 'dependencies="6" dependenciesKind='
TYPE2 = '<TypeDefinitions><SimpleType name="L"><Real unit="m"/></SimpleType></TypeDefinitions>'
ITEMS = '<Item name="a" value="1"/>'

# FMU, old text (the first occurrence counts), new text, words of the expected sentence.
BROKEN = [
    # Attributes, elements and their order.
    ("cs_2", 'fmiVersion="2.0"', 'fmiVersion="2.0.5"', "is not of type version_2"),
    ("cs_2", 'guid="{cs_2}"', "", "attribute guid is missing"),
    ("cs_2", 'guid="{cs_2}"', 'guid=""', "guid is empty"),
    ("cs_2", 'modelName="oscillator"', 'modelName="oscillator" modelname="o"', "no attribute modelname"),
    ("cs_2", '<Real start="1"/>', '<Real start="one"/>', "is not of type double"),
    ("cs_2", LIST, "<UnitDefinitions/>" + LIST, "children do not match (Unit )+"),
    ("cs_2", LIST, "<DefaultExperiment/><LogCategories><Category name='a'/></LogCategories>" + LIST, "do not match"),
    ("cs_3", LIST, "<VendorAnnotations/>" + LIST, "no such element"),
    ("cs_3", 'instantiationToken="{cs_3}"', 'instantiationToken=""', "instantiationToken is empty"),
    ("cs_3", "<ModelStructure>", "<ModelStructure", "cannot be read"),
    # Causality, variability, initial and start.
    ("cs_2", W2, W2.replace("tunable", "continuous"), "do not combine"),
    ("cs_2", U2, U2.replace("continuous", "fixed"), "do not combine"),
    ("cs_2", W2, W2.replace('"exact"', '"approx"'), 'must not have initial "approx"'),
    ("cs_2", U2, U2.replace("><Real", ' initial="exact"><Real'), 'must not have initial "exact"'),
    ("cs_2", U2, U2.replace(' start="0"', ""), "needs a start value"),
    ("cs_2", W2, W2.replace(' start="2"', ""), "needs a start value"),
    ("cs_2", 'initial="calculated"><Real/>', 'initial="calculated"><Real start="1"/>', "must not have a start value"),
    ("cs_2", U2, U2.replace("Real", "Integer"), "which only reals can be"),
    ("cs_3", TIME3, "", "number of independent variables is 0 instead of 1"),
    ("cs_3", TIME3, TIME3 + TIME3.replace("39", "38").replace("time", "t"), "number of independent variables is 2"),
    ("cs_3", TIME3, TIME3.replace("/>", ' start="0"/>'), "must not have a start value"),
    ("cs_3", TIME3, TIME3.replace('"continuous"', '"discrete"'), "do not combine"),
    ("cs_3", U3, U3.replace(' start="0"', ""), "needs a start value"),
    ("cs_2", W2, W2.replace("<Real", '<Real max="1"'), "outside of its min and max"),
    ("cs_2", W2, W2.replace("<Real", '<Real min="3" max="1"'), "exceeds its max"),
    ("cs_2", W2, W2.replace("<Real", '<Real nominal="0"'), "not positive and finite"),
    ("cs_2", W2, W2.replace(' initial', ' canHandleMultipleSetPerTimeInstant="true" initial'), "which an FMU of co-simulation alone must not have"),
    ("cs_2", X2, X2.replace("<Real", '<Real reinit="true"'), "attribute reinit"),
    # Names and value references.
    ("cs_2", 'name="v"', 'name="x"', 'Two variables have the name "x"'),
    ("cs_2", 'name="v"', 'name=""', "empty name"),
    ("cs_2", "fmiModelDescription ", 'fmiModelDescription variableNamingConvention="structured" ', None),
    ("cs_2", "fmiModelDescription ", 'fmiModelDescription variableNamingConvention="camel" ', "is not of type flat|structured"),
    ("cs_3", 'name="u"', 'name="y"', 'Two variables have the name "y"'),
    ("cs_3", U3, U3.replace("/>", '><Alias name="x"/></Float64>'), 'Two variables have the name "x"'),
    ("cs_3", 'valueReference="21"', 'valueReference="0"', "have the same value reference 0"),
    ("cs_2", 'valueReference="21"', 'valueReference="20"', "one variable can be set and another one can be set"),
    # Units and types.
    ("cs_2", W2, W2.replace("<Real", '<Real unit="m"'), 'has the unit "m", which UnitDefinitions does not define'),
    ("cs_2", LIST, UNITS + LIST, None),
    ("cs_2", LIST, UNITS.replace("</Unit>", '</Unit><Unit name="m"/>') + LIST, 'Unit "m" is defined twice'),
    ("cs_2", LIST, UNITS.replace('m="1"', 'm="1.5"') + LIST, "is not of type int32"),
    ("cs_2", LIST, UNITS.replace('"1000"', '"0"') + LIST, "values cannot be converted"),
    ("cs_2", LIST, UNITS.replace("</Unit>", '<DisplayUnit name="mm"/></Unit>') + LIST, 'two display units "mm"'),
    ("cs_2", W2, W2.replace("<Real", '<Real displayUnit="mm"'), "but no unit"),
    ("cs_3", LIST, UNITS.replace('"1000"', '"1" offset="1" inverse="true"') + LIST, "has an offset"),
    ("cs_2", LIST, UNITS + TYPE2 + LIST, None),
    ("cs_2", LIST, UNITS + TYPE2.replace('"m"', '"km"') + LIST, 'has the unit "km"'),
    ("cs_2", LIST, UNITS + TYPE2.replace('"L"', '"x"') + LIST, 'Type "x" has the name of a variable'),
    ("cs_2", W2, W2.replace("<Real", '<Real declaredType="L"'), "which TypeDefinitions does not define"),
    ("array_2", ITEMS, ITEMS + '<Item name="d" value="1"/>', 'two items of the value "1"'),
    ("array_3", ITEMS, ITEMS + '<Item name="a" value="9"/>', 'two items of the name "a"'),
    ("array_2", '"Mode"', '"Mood"', "which TypeDefinitions does not define"),
    ("array_2", '<Enumeration start="2"', '<Enumeration start="7"', "no item of its type"),
    # Arrays.
    ("array_3", 'start="1 2 3"', 'start="1 2"', "2 start values and 3 elements"),
    ("array_3", '<Dimension start="3"/>', '<Dimension start="0"/>', "a dimension has the size 0"),
    ("array_3", '<Dimension start="3"/>', '<Dimension start="3" valueReference="26"/>', "both or none"),
    ("array_3", '<Dimension start="3"/>', '<Dimension valueReference="26"/>', "no constant or structural parameter"),
    # Structure.
    ("cs_2", '<Outputs><Unknown index="7"/></Outputs>', "", 'Variable "y" is missing in the outputs'),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="7"/><Unknown index="6"/>', 'Variable "u" must not be in the outputs'),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="7"/><Unknown index="7"/>', "the index 7 twice"),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="99"/>', "refer to the index 99"),
    ("cs_2", '<InitialUnknowns><Unknown index="2"/><Unknown index="4"/>', '<InitialUnknowns><Unknown index="2"/>', 'Variable "der(v)" is missing in the init'),
    ("cs_2", '<InitialUnknowns><Unknown index="2"/><Unknown index="4"/>', '<InitialUnknowns><Unknown index="4"/><Unknown index="2"/>', "not in the order"),
    ("cs_2", '<InitialUnknowns>', '<InitialUnknowns><Unknown index="1"/>', 'Variable "x" must not be in the initial unknowns'),
    ("cs_2", ' derivative="1"', "", "has no attribute derivative"),
    ("cs_2", ' derivative="1"', ' derivative="2"', "or is the variable itself"),
    ("cs_3", '<Output valueReference="22"/>', "", 'Variable "y" is missing in the outputs'),
    ("cs_3", '<InitialUnknown valueReference="22"/>', "", 'Variable "y" is missing in the initial unknowns'),
    ("cs_3", Y3, Y3.replace("output", "local"), 'Variable "y" must not be in the outputs'),
    ("cs_2", '<Outputs><Unknown index="7"/>', f'<Outputs><Unknown index="7" {KIND}"constant"/>', None),
    ("cs_2", '<Outputs><Unknown index="7"/>', f'<Outputs><Unknown index="7" {KIND}"fixed fixed"/>', "2 kinds of 1 dependencies"),
    ("cs_2", '<Outputs><Unknown index="7"/>', f'<Outputs><Unknown index="7" {KIND}"linear"/>', "is not of type kinds"),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="7" dependenciesKind="fixed"/>', "without dependencies"),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="7" dependencies="5"/>', "is no known of this list"),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="7" dependencies="6 6"/>', "not in order"),
    ("cs_2", '<Outputs><Unknown index="7"/>', '<Outputs><Unknown index="7" dependencies="1"/>', "provides no directional derivatives"),
    ("cs_2", '<InitialUnknowns><Unknown index="2"/>', f'<InitialUnknowns><Unknown index="2" {KIND}"tunable"/>', "not allowed for this unknown"),
    ("cs_2", '<InitialUnknowns><Unknown index="2"/>', '<InitialUnknowns><Unknown index="2" dependencies="7"/>', "no exact variable"),
    # Flags, binary and default experiment.
    ("cs_2", 'canGetAndSetFMUstate="true"', "", "canSerializeFMUstate without canGetAndSetFMUstate"),
    ("cs_free_2", "<CoSimulation ", '<CoSimulation canGetAndSetFMUstate="true" ', "does not export fmi2GetFMUstate"),
    ("cs_free_3", "<CoSimulation ", '<CoSimulation canGetAndSetFMUState="true" ', "does not export fmi3SetFMUState"),
    ("cs_2", "<CoSimulation ", '<CoSimulation maxOutputDerivativeOrder="1" ', "does not export fmi2GetRealOutputDerivatives"),
    ("cs_2", 'modelIdentifier="cs_2"', 'modelIdentifier="cs-2"', "is no name in C"),
    ("cs_2", 'modelIdentifier="cs_2"', 'modelIdentifier="cs_4"', "The archive has no binaries/"),
    ("cs_2", LIST, '<DefaultExperiment startTime="2" stopTime="1"/>' + LIST, "startTime after its stopTime"),
    ("cs_2", LIST, '<DefaultExperiment stepSize="0"/>' + LIST, "stepSize 0"),
    ("cs_2", LIST, '<LogCategories><Category name="a"/><Category name="a"/></LogCategories>' + LIST, 'log category "a" is there twice'),
]
# Names under variableNamingConvention="structured".
STRUCTURED = {"a.b[1,2].c": True, "der(x)": True, "der(a.b,2)": True, "'any name #1'.x": True, "_x": True, "a b": False, "1a": False,
              "a..b": False, "a[i]": False, "der(x": False, "": False}


class Bench:
    def __init__(self, options, folder):
        self.fmus, self.folder = options.fmus, folder

    def changed(self, name, old, new):
        """Returns a copy of an FMU with a changed description."""
        path = str(self.folder / "changed.fmu")
        with zipfile.ZipFile(f"{self.fmus}/{name}.fmu") as source, zipfile.ZipFile(path, "w") as target:
            for item in source.namelist():
                data = source.read(item)
                if item == "modelDescription.xml":
                    text = data.decode()
                    expect(old in text, f"{name} has no text {old}")
                    data = text.replace(old, new, 1).encode()
                target.writestr(item, data)
        return path


def test_right(bench):
    """The sample FMUs pass. Their binaries have only the functions that they need."""
    names = sorted(name for name in os.listdir(bench.fmus) if name.endswith(".fmu"))
    expect(len(names) > 40, f"{len(names)} FMUs")
    for name in names:
        found = check_description.violations(f"{bench.fmus}/{name}", is_all=False)
        expect(not found, f"{name}: {found}")


def test_broken(bench):
    """Each broken description gives the sentence of its rule. The words None: the description is right."""
    for name, old, new, words in BROKEN:
        found = check_description.violations(bench.changed(name, old, new), is_all=False)
        expect(bool(found) == (words is not None) and (not found or any(words in sentence for sentence in found)),
               f"{name}: {new} instead of {old} gives {found} instead of ...{words}...")


def test_all_functions(bench):
    """An FMU must have all functions of the standard."""
    for version, last in ((2, "fmi2SetString"), (3, "fmi3GetBinary")):
        found = check_description.violations(f"{bench.fmus}/cs_{version}.fmu")
        expect(any(last in sentence for sentence in found), str(found))


def test_structured_names(bench):
    for name, is_right in STRUCTURED.items():
        expect(bool(check_description.STRUCTURED.fullmatch(name)) == is_right, f'"{name}"')


def test_archive(bench):
    path = bench.changed("cs_2", "cs_2", "cs_2")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../x", b"")
    found = check_description.violations(path, is_all=False)
    expect(len(found) == 1 and "no path below its top" in found[0], str(found))
    path = str(bench.folder / "empty.fmu")
    with zipfile.ZipFile(path, "w"):
        pass
    expect("cannot be read" in check_description.violations(path)[0], "an empty archive")


def main():
    options = tap.parser("--fmus").parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
