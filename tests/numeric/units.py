"""Random graphs whose signals have random units and mirrored connections, against the same graphs in SI units (unit_models.c).

    units.py WRSIM PLUGIN [FIRST COUNT]

The conversions of this file are independent of base/unit.c.
"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

WRSIM, PLUGIN = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FIRST, COUNT = (int(a) for a in sys.argv[3:5]) if len(sys.argv) > 3 else (0, 25)
# Kind of signal: zero and size in SI units; units with factor and offset, the SI unit first.
KINDS = {"pressure": (1e5, 5e4, [("Pa", 1.0, 0.0), ("bar", 1e5, 0.0), ("kPa", 1e3, 0.0), ("N/m2", 1.0, 0.0), ("atm", 101325.0, 0.0)]),
         "temperature": (300.0, 20.0, [("K", 1.0, 0.0), ("degC", 1.0, 273.15), ("degF", 5 / 9, 459.67 * 5 / 9), ("mK", 1e-3, 0.0)]),
         "speed": (0.0, 100.0, [("rad/s", 1.0, 0.0), ("rpm", math.pi / 30, 0.0), ("deg/s", math.pi / 180, 0.0),
                                ("rev/min", math.pi / 30, 0.0)]),
         "share": (0.0, 1.0, [("1", 1.0, 0.0), ("%", 0.01, 0.0), ("ppm", 1e-6, 0.0)])}
MODELS = ["lag", "lag", "block", "tangent", "switch", "gain", "gain", "stepper"]
STOP, STEP = 1.0, 0.05


def own_unit(rng, kind, unit):
    """Returns a unit with the name of another unit, and with a definition of its own."""
    _, size, units = KINDS[kind]
    factor, offset = size * 10 ** rng.uniform(-3, 0), rng.choice([0, size * rng.uniform(-1, 1)])
    base = "" if units[0][0] == "1" else " " + units[0][0]
    shift = f" {'-' if offset < 0 else '+'} {abs(offset)!r}" if offset else ""
    return f"{unit[0]} = {factor!r}{base}{shift}", factor, offset


class Case:
    """A random graph; config(is_si) is its config, and value(name, v) a result in SI units."""

    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.kinds = r.sample(sorted(KINDS), r.randint(1, 2))
        self.run = r.choice(["monolithic", "jacobi", "gauss_seidel", "gauss_seidel", "slack"])
        self.solver = r.choice(["dopri54", "dopri54", "rosenbrock", "cvode_bdf"])
        self.component = []
        for i in range(r.randint(3, 7)):
            kinds = r.choice(self.kinds), r.choice(self.kinds)
            self.component.append((f"c{i}", r.choice(MODELS[:-1] if self.run == "monolithic" else MODELS), kinds,
                                   tuple(r.choice(KINDS[k][2]) for k in kinds), 10 ** r.uniform(0, 1)))
        own = random.Random(-1_000_000 - seed)
        self.component = [(*c[:3], tuple(own_unit(own, *pair) if own.random() < 0.4 else pair[1] for pair in zip(c[2], c[3])), c[4])
                          for c in self.component]
        self.edges, self.free = [], []
        for to in self.component:
            for i in range(3):
                sources = [c for c in self.component if c[2][1] == to[2][0] and (c is not to or c[1] != "stepper")]
                if sources and r.random() < 0.85:
                    self.edges.append((f"{r.choice(sources)[0]}.y{r.randint(0, 1)}", f"{to[0]}.u{i}"))
                else:
                    self.free.append(f"{to[0]}.u{i}")
        changes = random.Random(-1 - seed)
        # two flags of each connection: mirrored at the zero of the signal; converted by factor and offset instead of units
        self.changes = [(changes.random() < 0.3, changes.random() < 0.3) for _ in self.edges]
        self.group = [r.randint(0, 2) for _ in self.component]
        self.ports = [self.free.pop() for _ in range(min(len(self.free), r.randint(0, 3)))]
        self.port_value = r.uniform(-1, 1)
        self.scenarios = []
        read = [e for e in self.edges if self.of(e[1])[1] != "stepper"]
        for k in range(r.randint(0, 3) if read else 0):
            edge = r.choice(read)
            watched = r.choice(r.choice(self.edges)) if r.random() < 0.5 else None
            self.scenarios.append((f"s{k}", edge[r.randint(0, 1)], r.choice(["override", "bias", "ramp", "freeze"]),
                                   r.uniform(-0.5, 0.5), r.uniform(0.11, 0.5), watched, r.uniform(-0.3, 0.5)))

    def of(self, name):
        return next(c for c in self.component if c[0] == name.split(".")[0])

    def unit(self, name, is_si):
        """Returns factor, offset, zero and size of a variable."""
        side = 0 if name.split(".")[1].startswith("u") else 1
        c = self.of(name)
        zero, size, units = KINDS[c[2][side]]
        return (*(units[0] if is_si else c[3][side])[1:], zero, size)

    def show(self, name, normal, is_si, is_change=False):
        """Returns a normalised value (or a change) of a variable in the variable's unit."""
        factor, offset, zero, size = self.unit(name, is_si)
        return normal * size / factor if is_change else (zero + size * normal - offset) / factor

    def normal(self, name, value, is_si):
        factor, offset, zero, size = self.unit(name, is_si)
        return (factor * value + offset - zero) / size

    def config(self, is_si):
        # rounding errors decide about equally good predictions, so a slackened run has a fixed prediction
        slack = 'prediction = "hold"\n[slack]\nperiod = 0.05\ndelays = "fixed"\n' if self.run == "slack" else ""
        scheme = f'scheme = "{"auto" if self.run == "monolithic" else self.run}"'
        text = [f'[simulation]\nstop = {STOP}\ncommunication_step = {STEP}\nrtol = 1e-8\n'
                f'monolithic = {"true" if self.run == "monolithic" else "false"}\n[relaxation]\n{scheme}\n{slack}'
                f'[solver]\nkind = "{self.solver}"\n[output]\nevents = false\nsignals = ["*.y*"'
                + "".join(f', "{c[0]}.u{i}"' for c in self.component if c[1] != "stepper" for i in range(3)) + "]\n"
                f'[[plugin]]\nfile = "{PLUGIN}"\n']
        for name, model, kinds, units, rate in self.component:
            p = [f"rate = {rate!r}"]
            for side, letter in enumerate("uy"):
                zero, size, known = KINDS[kinds[side]]
                unit = known[0] if is_si else units[side]
                p += [f'unit_{letter} = "{unit[0]}"', f"factor_{letter} = {unit[1]!r}", f"offset_{letter} = {unit[2]!r}",
                      f"zero_{letter} = {zero!r}", f"size_{letter} = {size!r}"]
            text.append(f'[[component]]\nname = "{name}"\nmodel = "unit.{model}"\nparameters = {{ {", ".join(p)} }}\n')
        for (output, to), (is_mirrored, is_own) in zip(self.edges, self.changes):
            text.append(f'[[connection]]\nfrom = "{output}"\nto = "{to}"\n')
            factor, offset, zero, _ = self.unit(to, is_si)
            a, b = (-1.0, 2.0 * (zero - offset) / factor) if is_mirrored else (1.0, 0.0)
            if is_own:
                of = self.unit(output, is_si)
                a, b = a * of[0] / factor, a * (of[1] - offset) / factor + b
                text.append("convert = false\n")
            if is_own or is_mirrored:
                text.append(f"factor = {a!r}\noffset = {b!r}\n")
        for k, kind in enumerate(self.kinds):  # a port has the unit of its first input
            to = [u for u in self.ports if self.of(u)[2][0] == kind]
            if to:
                text.append(f'[[port]]\nname = "p{k}"\nto = {to}\nstart = {self.show(to[0], self.port_value, is_si)!r}\n')
        if self.run != "monolithic":
            for g in set(self.group):
                members = [c[0] for i, c in enumerate(self.component) if self.group[i] == g and c[1] != "stepper"]
                if members:
                    text.append(f'[[subsystem]]\nname = "g{g}"\ncomponents = {members}\n')
        for name, signal, action, value, at, watched, limit in self.scenarios:
            number = self.show(signal, value, is_si, action == "bias")
            text.append(f'[[scenario]]\nname = "{name}"\nsignal = "{signal}"\naction = "{action}"\n'
                        + ("" if action == "freeze" else f"value = {number!r}\n") + ("ramp_time = 0.23\n" if action == "ramp" else "")
                        + (f'when = "{watched} > {self.show(watched, limit, is_si)!r}"\n' if watched else f"at = {at!r}\n"))
        return "\n".join(text)


def run(case, is_si, folder):
    """Runs a case. Returns the normalised results by signal, or the message of a failure."""
    config, out = os.path.join(folder, "case.toml"), os.path.join(folder, "out.csv")
    with open(config, "w", encoding="ascii") as file:
        file.write(case.config(is_si))
    done = subprocess.run([WRSIM, config, "-q", "-o", out], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        return done.stderr
    with open(out, encoding="ascii") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    names = [h.split(" [")[0] for h in rows[0]]
    columns = list(zip(*[[float(row[0])] + [float(v) for v in row[2:]] for row in rows[1:]]))
    result = {n: [case.normal(n, v, is_si) for v in c] for n, c in zip(names[2:], columns[1:])}
    return result if len(columns[0]) == round(STOP / STEP) + 1 else f"{len(columns[0])} rows"


n_run, n_bad, worst = 0, 0, 0.0
with tempfile.TemporaryDirectory() as place:
    for seed in range(FIRST, FIRST + COUNT):
        random_case = Case(seed)
        si, other = run(random_case, True, place), run(random_case, False, place)
        if isinstance(si, str) and isinstance(other, str):
            print(f"case {seed}: both runs fail: {si[:300]}")
            continue
        n_run += 1
        if isinstance(si, str) or isinstance(other, str):
            print(f"case {seed}: one of two runs fails:\n{si if isinstance(si, str) else other}")
            n_bad += 1
            continue
        for signal in si:
            error = max(abs(a - b) for a, b in zip(si[signal], other[signal]))
            worst = max(worst, error)
            # rtol is 1e-8 of a value, and offsets raise values up to 1e3 times
            if not error <= 1e-5:
                print(f"case {seed} ({random_case.run}): {signal} differs by {error:.3g}")
                n_bad += 1
                break
    example = os.path.join(place, "example.toml")
    with open(example, "w", encoding="ascii") as file:
        file.write(f'[simulation]\nstop = 1.0\n[[plugin]]\nfile = "{PLUGIN}"\n' + "".join(
            f'[[component]]\nname = "{name}"\nmodel = "unit.gain"\nparameters = {{ unit_u = "{u}", unit_y = "{y}" }}\n'
            for name, u, y in (("a", "K", "bar"), ("b", "Pa", "degC")))
            + '[[connection]]\nfrom = "a.y0"\nto = "b.u0"\n[[connection]]\nfrom = "b.y1"\nto = "a.u0"\n')
    shown = subprocess.run([WRSIM, "check", example], capture_output=True, text=True, check=True).stdout
    for line in ("  a.y0 [bar] -> b.u0 [Pa]: 100000 * value\n", "  b.y1 [degC] -> a.u0 [K]: 1 * value + 273.15\n",
                 "nominal values 1 of 'a.y0' and 1e-05 of 'b.u0' (in bar) differ by a factor above 1e3"):
        if line not in shown:
            sys.exit(f"check does not print {line}{shown}")
    shown = subprocess.run([WRSIM, "check", "--json", example], capture_output=True, text=True, check=True).stdout
    if [c.get("factor") for c in json.loads(shown)["connections"]] != [1, 1e5]:
        sys.exit(f"check --json has wrong conversions\n{shown}")
    with open(os.path.join(place, "column.csv"), "w", encoding="ascii") as file:
        file.write("time [s],p [bar],T [K]\n0,2,300\n1,4,300\n")
    with open(example, "a", encoding="ascii") as file:
        file.write('[[scenario]]\nname = "s"\nsignal = "b.u0"\naction = "replay"\nfile = "column.csv"\ncolumn = "p"\nat = 0.0\n')
    out = os.path.join(place, "out.csv")
    subprocess.run([WRSIM, example, "-q", "-o", out, "-D", 'output.signals=["s.value"]'], check=True)
    with open(out, encoding="ascii") as file:
        header, *rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    if header[2] != "s.value [Pa]" or abs(float(rows[-1][2]) - 4e5) > 1e-6 * 4e5:
        sys.exit(f"the column of a scenario has the wrong unit: {header} {rows[-1]}")
    done = subprocess.run([WRSIM, example, "-q", "-D", "scenario.s.column=T"], capture_output=True, text=True, check=False)
    if "scenario column 'T' (unit K) and its signal 'b.u0' (unit Pa) have different units" not in done.stderr:
        sys.exit(f"the column of a scenario has another dimension\n{done.stderr}")
    # A recording in another unit: replay of "a" gives the results of the run.
    def config(unit, factor, extra):
        units = [("a", "K", unit, factor), ("b", "Pa", "degC", 1.0)]
        text = f'[simulation]\nstop = 1.0\nrtol = 1e-8\n[output]\nsignals = ["b.x", "a.y0"]\n[[plugin]]\nfile = "{PLUGIN}"\n'
        for name, u, y, size in units:
            text += (f'[[component]]\nname = "{name}"\nmodel = "unit.lag"\nparameters = {{ unit_u = "{u}", unit_y = "{y}", size_y = {size}, '
                     f'size_u = {1e5 if u == "Pa" else 1.0} }}\n')
        text += f'[[connection]]\nfrom = "a.y0"\nto = "b.u0"\n[[subsystem]]\nname = "first"\ncomponents = ["a"]\n{extra}'
        with open(example, "w", encoding="ascii") as to:
            to.write(text)

    def values(column):
        with open(out, encoding="ascii") as source:
            return [float(row[column]) for row in csv.DictReader(line for line in source if not line.startswith("#")) if row["kind"] == "c"]

    for recording in ("bar.csv", "bar.h5"):
        config("bar", 1.0, "")
        subprocess.run([WRSIM, example, "-q", "-o", os.path.join(place, recording), "-D", f"output.waves={str(recording.endswith('h5')).lower()}"],
                       check=True)
        subprocess.run([WRSIM, example, "-q", "-o", out], check=True)
        once = values("b.x [degC]")
        config("Pa", 1e5, f'kind = "replay"\nfile = "{recording}"\n')
        subprocess.run([WRSIM, example, "-q", "-o", out], check=True)
        if not max(abs(a - b) for a, b in zip(once, values("b.x [degC]"))) < 1e-4:
            sys.exit(f"the replay of {recording} has the wrong unit")
        config("K", 1.0, f'kind = "replay"\nfile = "{recording}"\n')
        with open(example, encoding="ascii") as file:
            text = file.read().replace('"Pa"', '"K"')
        with open(example, "w", encoding="ascii") as file:
            file.write(text)
        done = subprocess.run([WRSIM, example, "-q"], capture_output=True, text=True, check=False)
        if "has 'a.y0' in unit bar, but this output has unit K" not in done.stderr:
            sys.exit(f"a recording has another dimension\n{done.stderr}")
    # `wrsim compare` converts to the unit of the second file, and refuses other units.
    for unit, value, code in (("bar", 2.0, 0), ("bar = 4 Pa", 5e4, 0), ("bar", 2e5, 1), ("K", 2e5, 2)):
        for name, u, v in (("one.csv", unit, value), ("two.csv", "Pa", 2e5)):
            with open(os.path.join(place, name), "w", encoding="ascii") as file:
                file.write(f"time [s],p [{u}]\n0,{v!r}\n1,{2 * v!r}\n")
        done = subprocess.run([WRSIM, "compare", "one.csv", "two.csv", "--limit", "1e-9"], capture_output=True, text=True, check=False, cwd=place)
        if done.returncode != code or (code == 2) != ("has the unit K in the first results, but Pa in the second" in done.stderr):
            sys.exit(f"compare of {value} {unit} with 2e5 Pa: {done.returncode} {done.stdout}{done.stderr}")
    # If an input has no unit, the value of its scenario has the unit of the input's driver, also from a file.
    config("bar", 1.0, "[[scenario]]\nname = \"s\"\nsignal = \"b.u0\"\naction = \"replay\"\nfile = \"column.csv\"\ncolumn = \"p\"\nat = 0.0\n")
    with open(os.path.join(place, "column.csv"), "w", encoding="ascii") as file:
        file.write("time [s],p [Pa]\n0,2e5\n1,4e5\n")
    subprocess.run([WRSIM, example, "-q", "-o", out, "-D", "component.b.parameters.unit_u=''", "-D", 'output.signals=["s.value"]'], check=True)
    if abs(values("s.value [bar]")[-1] - 4.0) > 1e-6:
        sys.exit("the column of a scenario of an input without a unit has the wrong unit")
print(f"{n_run} of {COUNT} cases run, {n_bad} wrong, largest difference {worst:.2g} of the size of a signal")
sys.exit(n_bad > 0 or n_run < 0.8 * COUNT)
