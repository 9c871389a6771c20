"""The folder of each case of import: valid descriptions, which cases edit, archives, and the script that makes x.fmu."""
import os
import shutil
import stat
import zipfile

GOOD2 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Pump" guid="{1}" generationTool="hand" description="a pump" numberOfEventIndicators="2">
<ModelExchange modelIdentifier="pump" canGetAndSetFMUstate="true" providesDirectionalDerivative="true"/>
<CoSimulation modelIdentifier="pump" canHandleVariableCommunicationStepSize="1" maxOutputDerivativeOrder="1"/>
<UnitDefinitions>
<Unit name="bar"><BaseUnit kg="1" m="-1" s="-2" factor="1e5"/><DisplayUnit name="kPa" factor="100"/></Unit>
<Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>
</UnitDefinitions>
<TypeDefinitions>
<SimpleType name="Pressure"><Real quantity="Pressure" unit="bar" min="0" nominal="10"/></SimpleType>
<SimpleType name="Mode"><Enumeration><Item name="off" value="1"/><Item name="on" value="2"/></Enumeration></SimpleType>
</TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="10" tolerance="1e-6"/>
<VendorAnnotations><Tool name="hand"><a><b c="d"/></a></Tool></VendorAnnotations>
<ModelVariables>
<ScalarVariable name="time" valueReference="0" causality="independent" variability="continuous"><Real unit="s"/></ScalarVariable>
<ScalarVariable name="tank.p" valueReference="1" initial="exact"><Real declaredType="Pressure" start="1.5" max="20"/></ScalarVariable>
<ScalarVariable name="der(tank.p)" valueReference="2"><Real derivative="2"/></ScalarVariable>
<ScalarVariable name="u" valueReference="3" causality="input" description="flow"><Real unit="kg/s" start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real declaredType="Pressure"/></ScalarVariable>
<ScalarVariable name="k" valueReference="4" causality="parameter" variability="tunable"><Real start="2e-3"/></ScalarVariable>
<ScalarVariable name="mode" valueReference="1" causality="parameter" variability="fixed"><Enumeration declaredType="Mode" start="2"/></ScalarVariable>
<ScalarVariable name="n" valueReference="2" causality="parameter" variability="fixed"><Integer start="-3"/></ScalarVariable>
<ScalarVariable name="is_on" valueReference="1" causality="output" variability="discrete"><Boolean/></ScalarVariable>
<ScalarVariable name="file" valueReference="1" causality="parameter" variability="fixed"><String start="a &quot;b&quot;"/></ScalarVariable>
</ModelVariables>
<ModelStructure>
<Outputs><Unknown index="5" dependencies="2" dependenciesKind="constant"/><Unknown index="9"/></Outputs>
<Derivatives>
<Unknown index="3" dependencies="2 4"/>
</Derivatives>
<InitialUnknowns><Unknown index="3" dependencies=""/></InitialUnknowns>
</ModelStructure>
</fmiModelDescription>
"""
GOOD3 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Field" instantiationToken="{2}">
<ModelExchange modelIdentifier="field" needsCompletedIntegratorStep="true" canSerializeFMUState="true"/>
<CoSimulation modelIdentifier="field" hasEventMode="true" fixedInternalStepSize="0.01"/>
<UnitDefinitions><Unit name="K"><BaseUnit K="1"/></Unit></UnitDefinitions>
<TypeDefinitions>
<Float64Type name="Temperature" unit="K" nominal="300"/>
<EnumerationType name="Mode"><Item name="low" value="-1"/></EnumerationType>
</TypeDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent"/>
<UInt64 name="n" valueReference="1" causality="structuralParameter" start="2"/>
<Float64 name="T" valueReference="4000000000" declaredType="Temperature" start="300 310 320 330 340 350" initial="exact">
<Dimension valueReference="1"/><Dimension start="3"/>
<Alias name="T.mean" description="same"/>
</Float64>
<Float64 name="der(T)" valueReference="3" derivative="4000000000"><Dimension valueReference="1"/><Dimension start="3"/></Float64>
<Float32 name="u[1,&quot;x&quot;]" valueReference="4" causality="input" start="1.5"/>
<Float64 name="z" valueReference="5" causality="output"/>
<Int8 name="i" valueReference="6" causality="parameter" variability="fixed" start="-128"/>
<Boolean name="b" valueReference="7" causality="input" start="true false"><Dimension start="2"/></Boolean>
<String name="s" valueReference="8" causality="parameter" variability="fixed"><Dimension start="2"/><Start value="one"/><Start value="two"/></String>
<Enumeration name="e" valueReference="9" causality="parameter" variability="tunable" declaredType="Mode" start="-1"/>
<Binary name="blob" valueReference="10" causality="input"><Start value="00ff"/></Binary>
<Clock name="tick" valueReference="11" causality="input" intervalVariability="constant"/>
</ModelVariables>
<ModelStructure>
<Output valueReference="5" dependencies="4000000000 4" dependenciesKind="dependent fixed"/>
<ContinuousStateDerivative valueReference="3"/>
<InitialUnknown valueReference="3"/>
<EventIndicator valueReference="3"/>
</ModelStructure>
</fmiModelDescription>
"""
# Makes x.fmu with modelDescription.xml. Each three arguments are a text of the description, its replacement, and a repetition of it.
PACK = r"""import sys, zipfile
text = open("modelDescription.xml", "rb").read()
for old, new, count in zip(sys.argv[1::3], sys.argv[2::3], sys.argv[3::3]):
    text = text.replace(old.encode(), new.encode().decode("unicode_escape").encode("latin-1") * int(count))
with zipfile.ZipFile("x.fmu", "w", zipfile.ZIP_DEFLATED) as fmu:
    fmu.writestr("modelDescription.xml", text)
    fmu.writestr("binaries/linux64/pump.so", "none")
    fmu.writestr("binaries/win64/pump.dll", "none")
    fmu.writestr("resources/data/table.txt", "1 2 3")
"""


VALVE = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Valve" guid="{3}">
<CoSimulation modelIdentifier="valve" canHandleVariableCommunicationStepSize="true"/>
<TypeDefinitions>
<SimpleType name="State"><Enumeration><Item name="shut" value="0"/><Item name="open" value="1"/><Item name="stuck" value="5"/></Enumeration></SimpleType>
</TypeDefinitions>
<ModelVariables>
<ScalarVariable name="p" valueReference="1" causality="input"><Real unit="Pa" start="0"/></ScalarVariable>
<ScalarVariable name="flow" valueReference="2" causality="output"><Real unit="kg/s"/></ScalarVariable>
<ScalarVariable name="is_open" valueReference="1" causality="input" variability="discrete"><Boolean start="false"/></ScalarVariable>
<ScalarVariable name="order" valueReference="2" causality="input" variability="discrete"><Enumeration declaredType="State" start="0"/></ScalarVariable>
<ScalarVariable name="state" valueReference="3" causality="output" variability="discrete"><Enumeration declaredType="State"/></ScalarVariable>
<ScalarVariable name="label" valueReference="1" causality="input" variability="discrete"><String start=""/></ScalarVariable>
<ScalarVariable name="text" valueReference="2" causality="output" variability="discrete"><String/></ScalarVariable>
<ScalarVariable name="area" valueReference="9" causality="parameter" variability="tunable"><Real unit="cm2" start="1"/></ScalarVariable>
<ScalarVariable name="wear" valueReference="8" causality="calculatedParameter" variability="fixed"><Real/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="2"/><Unknown index="5"/><Unknown index="7"/></Outputs></ModelStructure>
</fmiModelDescription>
"""
SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
 xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" version="1.0" name="Loop">
<ssd:System name="loop">
<ssd:ParameterBindings>
<ssd:ParameterBinding source="values.ssv" prefix="line.">
<ssd:ParameterMapping source="mapping.ssm"/>
</ssd:ParameterBinding>
</ssd:ParameterBindings>
<ssd:Elements>
<ssd:Component name="pump" source="resources/pump.fmu" implementation="ModelExchange">
<ssd:Connectors>
<ssd:Connector name="u" kind="input"><ssc:Real unit="kg/s"/></ssd:Connector>
<ssd:Connector name="y" kind="output"/>
<ssd:Connector name="is_on" kind="output"/>
</ssd:Connectors>
</ssd:Component>
<ssd:System name="line">
<ssd:Connectors>
<ssd:Connector name="pressure" kind="input"><ssc:Real unit="kPa"/></ssd:Connector>
<ssd:Connector name="flow" kind="output"/>
<ssd:Connector name="on" kind="input"/>
</ssd:Connectors>
<ssd:Elements>
<ssd:Component name="valve" source="resources/valve.fmu">
<ssd:Connectors>
<ssd:Connector name="p" kind="input"/>
<ssd:Connector name="flow" kind="output"/>
<ssd:Connector name="is_open" kind="input"/>
<ssd:Connector name="order" kind="input"/>
<ssd:Connector name="state" kind="output"/>
<ssd:Connector name="label" kind="input"/>
<ssd:Connector name="text" kind="output"/>
</ssd:Connectors>
</ssd:Component>
</ssd:Elements>
<ssd:Connections>
<ssd:Connection startConnector="pressure" endElement="valve" endConnector="p"/>
<ssd:Connection startElement="valve" startConnector="flow" endConnector="flow"/>
<ssd:Connection startElement="valve" startConnector="is_open" endConnector="on"/>
</ssd:Connections>
</ssd:System>
</ssd:Elements>
<ssd:Connections>
<ssd:Connection startElement="pump" startConnector="y" endElement="line" endConnector="pressure"><ssc:LinearTransformation factor="2" offset="1"/></ssd:Connection>
<ssd:Connection startElement="line" startConnector="flow" endElement="pump" endConnector="u"/>
<ssd:Connection startElement="pump" startConnector="is_on" endElement="line" endConnector="on">
<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/><ssc:MapEntry source="false" target="true"/></ssc:BooleanMappingTransformation>
</ssd:Connection>
</ssd:Connections>
</ssd:System>
<ssd:DefaultExperiment startTime="1" stopTime="3"/>
</ssd:SystemStructureDescription>
"""
VALUES = """<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="values">
<ssv:Parameters>
<ssv:Parameter name="size"><ssv:Real value="2" unit="m2"/></ssv:Parameter>
<ssv:Parameter name="mode"><ssv:Enumeration value="one"/></ssv:Parameter>
<ssv:Parameter name="count"><ssv:Integer value="4"/></ssv:Parameter>
<ssv:Parameter name="file"><ssv:String value="other"/></ssv:Parameter>
</ssv:Parameters>
</ssv:ParameterSet>
"""
MAPPING = """<?xml version="1.0" encoding="UTF-8"?>
<ssm:ParameterMapping xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0">
<ssm:MappingEntry source="line.size" target="line.valve.area"><ssc:LinearTransformation factor="10" offset="5"/></ssm:MappingEntry>
<ssm:MappingEntry source="line.mode" target="pump.mode">
<ssc:EnumerationMappingTransformation><ssc:MapEntry source="one" target="off"/></ssc:EnumerationMappingTransformation>
</ssm:MappingEntry>
<ssm:MappingEntry source="line.count" target="pump.n"/>
</ssm:ParameterMapping>
"""
# Makes x.ssp of the files of the folder, and of other files: pairs of a file and its name in the package.
PACK_SSP = r"""import sys, zipfile
def fmu(name, text):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as to:
        to.writestr("modelDescription.xml", text)
        to.writestr("binaries/linux64/x.so", "none")
fmu("pump.fmu", open("good2.xml").read())
fmu("valve.fmu", open("valve.xml").read())
with zipfile.ZipFile("x.ssp", "w", zipfile.ZIP_DEFLATED) as to:
    for name in ("SystemStructure.ssd", "values.ssv", "mapping.ssm"):
        to.write(name)
    for name in ("pump.fmu", "valve.fmu"):
        to.write(name, "resources/" + name)
    for name, other in zip(sys.argv[1::2], sys.argv[2::2]):
        to.write(name, other)
"""


def archive(path, *entries, description=True, method=zipfile.ZIP_DEFLATED):
    """Writes an archive of a valid description and entries, which are pairs of a name or ZipInfo and bytes."""
    with zipfile.ZipFile(path, "w", method) as fmu:
        if description:
            fmu.writestr("modelDescription.xml", GOOD2)
        for name, content in entries:
            fmu.writestr(name, content)


def changed(path, old, new, count=-1):
    """Replaces bytes of a file."""
    path.write_bytes(path.read_bytes().replace(old, new, count))


def link(kind):
    info = zipfile.ZipInfo("resources/link")
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    return info


def make(folder, wrsim, _):
    (folder / "good2.xml").write_text(GOOD2)
    (folder / "good3.xml").write_text(GOOD3)
    (folder / "modelDescription.xml").write_text(GOOD2)
    (folder / "pack.py").write_text(PACK)
    (folder / "valve.xml").write_text(VALVE)
    for name, text in (("good.ssd", SYSTEM), ("good.ssv", VALUES), ("good.ssm", MAPPING)):
        (folder / name).write_text(text)
    for name, text in (("SystemStructure.ssd", SYSTEM), ("values.ssv", VALUES), ("mapping.ssm", MAPPING)):
        (folder / name).write_text(text)
    (folder / "pack_ssp.py").write_text(PACK_SSP)
    (folder / "t").mkdir()
    (folder / "x.fmu").write_bytes(b"")
    archive(folder / "none.fmu", ("a", b"x"), description=False)
    archive(folder / "dotdot.fmu", ("resources/../../evil", b"x"))
    archive(folder / "dot.fmu", ("resources/./evil", b"x"))
    archive(folder / "own_folder.fmu", ("./", b""))
    archive(folder / "top_folder.fmu", ("pump/modelDescription.xml", GOOD2.encode()), description=False)
    archive(folder / "empty_platform.fmu", ("binaries/linux64/", b""), ("binaries/win64/lib/", b""), ("binaries/win64/a.dll", b"x"))
    archive(folder / "absolute.fmu", ("/tmp/evil", b"x"))
    archive(folder / "drive.fmu", ("c:/evil", b"x"))
    archive(folder / "backslash.fmu", ("resources/a?b", b"x"))
    changed(folder / "backslash.fmu", b"a?b", b"a\\b")
    archive(folder / "link.fmu", (link(stat.S_IFLNK), b"/etc/passwd"))
    archive(folder / "device.fmu", (link(stat.S_IFBLK), b""))
    archive(folder / "twice.fmu", ("resources/a", b"1"), ("resources/b", b"2"))
    changed(folder / "twice.fmu", b"resources/b", b"resources/a")
    archive(folder / "file_and_folder.fmu", ("resources/a", b"1"), ("resources/a/b", b"2"))
    archive(folder / "deep.fmu", ("resources/" + "a/" * 64, b""))
    archive(folder / "method.fmu", ("resources/a", b"x"), method=zipfile.ZIP_BZIP2)
    archive(folder / "bomb.fmu", ("resources/a", bytes(10000)))
    archive(folder / "damaged.fmu", (zipfile.ZipInfo("resources/a"), b"hello, damaged world"))
    changed(folder / "damaged.fmu", b"hello, damaged", b"HELLO, damaged")
    whole = (folder / "device.fmu").read_bytes()
    (folder / "cut_off.fmu").write_bytes(whole[:-3])
    (folder / "cut_in_half.fmu").write_bytes(whole[:len(whole) // 2])
    archive(folder / "encrypted.fmu", ("resources/a", b"x"))
    raw = bytearray((folder / "encrypted.fmu").read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = raw.rindex(mark)
        raw[place + at] |= 1
    (folder / "encrypted.fmu").write_bytes(raw)
    archive(folder / "huge.fmu", ("resources/a", b"x"))
    raw = bytearray((folder / "huge.fmu").read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)): # the size, which the entry does not have
        place = raw.rindex(mark)
        raw[place + at:place + at + 4] = b"\xff\xff\xff\xf0"
    (folder / "huge.fmu").write_bytes(raw)
    archive(folder / "wrong_size.fmu", ("resources/a", bytes(100000)))
    raw = bytearray((folder / "wrong_size.fmu").read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = raw.rindex(mark)
        raw[place + at:place + at + 4] = b"\x01\0\0\0"
    (folder / "wrong_size.fmu").write_bytes(raw)
    raw = bytearray((folder / "bomb.fmu").read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = raw.rindex(mark)
        raw[place + at:place + at + 4] = (10000000).to_bytes(4, "little")
    (folder / "bomb.fmu").write_bytes(raw)
    for i in range(2):
        os.makedirs(folder / "old" / ("wrsim-fmu-dead0%d" % i) / "resources")
        (folder / "old" / ("wrsim-fmu-dead0%d" % i) / "resources" / "a").write_text("left by a killed process")
    (folder / "old" / "wrsim-fmu-dead00" / "link").symlink_to("../keep")
    (folder / "old" / "keep").mkdir()
    (folder / "old" / "keep" / "file").write_text("stays")


def make_special(folder):
    os.mkfifo(folder / "pipe.fmu")


def copy(source, target):
    return shutil.copy2(source, target)
