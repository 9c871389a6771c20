"""Exported FMUs: calls that the standard forbids, and reads before the initialisation.

    fmu_calls.py --wrsim PROGRAM --module FOLDER --source FOLDER [test] ...
"""
import ctypes
import math
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import configs
import fmu_export
import fmu_master
import tap
from tap import expect


def test_early_output(bench):
    """Before the initialisation an output has no value: FMI 3.0 allows the call, FMI 2.0 forbids it. Other variables have start values."""
    config = bench.config(configs.PLANT, "p.toml")
    for version, expected in ((2, fmu_master.ERROR), (3, fmu_master.DISCARD)):
        instance = fmu_master.Instance(bench.export(config, version))
        status, _ = instance._access("Get", ["a.x"], [0.0])
        expect(status == expected and "enter initialisation mode" in instance.log[-1][2], f"FMI {version}: {status}, {instance.log}")
        expect(instance.get(["drive", "a.parameters.a"]) == [0.5, -0.5], f"FMI {version}: start values")
        instance.begin()
        expect(instance.get(["a.x"]) == [1.0], f"FMI {version}: no value after the initialisation")
        instance.free()


def test_count(bench):
    """A call that changes a number of variables is refused at once. The instance keeps its values and runs."""
    config = bench.config(configs.COUNT)
    for version in fmu_export.VERSIONS:
        instance = fmu_master.Instance(bench.export(config, version))
        for begins in (False, True):
            if begins:
                instance.enter()
            try:
                instance.set(["rod.parameters.n"], [5])
                raise AssertionError("another number of cells is accepted")
            except fmu_master.Failed:
                pass
            expect(len(instance.log) == 1 + begins and "rod.parameters.n" in instance.log[-1][2], f"FMI {version}: {instance.log}")
            expect(instance.get(["rod.parameters.n"]) == [4], f"FMI {version}: the number has changed")
            instance.set(["rod.parameters.n"], [4])
            instance.set(["idle.parameters.burn"], [1]) # a whole number that changes no variable
        instance.need("ExitInitializationMode")
        expect(instance.step(0.0, 0.1)[0] == fmu_master.OK, f"FMI {version}: {instance.log}")
        instance.free()


def refuses(instance, names, state):
    """Checks that each of the named calls refuses the state."""
    for name in names:
        try:
            getattr(instance, name)(state)
        except fmu_master.Failed:
            continue
        raise AssertionError(f"{name} accepts the state")


def test_owner(bench):
    """An instance refuses a state of another instance, and a freed state."""
    for version in fmu_export.VERSIONS:
        fmu = bench.export(bench.config(configs.PLANT, "p.toml"), version)
        one, two = fmu_master.Instance(fmu), fmu_master.Instance(fmu)
        one.begin()
        one.step(0.0, 0.1)
        state = one.save()
        two.begin()
        refuses(two, ("restore", "save", "serialise"), state)
        expect("of another instance" in two.log[-1][2], f"{two.log}")
        copy = ctypes.c_void_p(state.value)
        one.forget(state)
        refuses(one, ("restore", "forget"), copy)
        expect("the state is freed" in one.log[-1][2], f"{one.log}")
        one.free()
        two.free()


def test_threads(bench):
    """Four instances in four threads, which also save and restore states, have the bits of one instance."""
    fmu = bench.export(bench.config(configs.PLANT, "p.toml"), 3)
    names, points, rows = fmu.names("output"), fmu_export.grid(0.1, 20), {}

    def run(k):
        instance = fmu_master.Instance(fmu)
        instance.begin()
        first = instance.run(points[:11], names)
        state = instance.save()
        instance.run(points[10:], names)
        instance.restore(instance.deserialise(instance.serialise(state)))
        rows[k] = first + instance.run(points[10:], names)
        instance.forget(state)
        instance.free()
    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run(4)
    expect(len(rows) == 5 and all(rows[k] == rows[4] for k in range(4)), "other rows")


def test_order(bench):
    """Calls out of order and wrong arguments give one message each."""
    for version in fmu_export.VERSIONS:
        instance = fmu_master.Instance(bench.export(bench.config(configs.PLANT, "p.toml"), version))
        expect(instance.step(0.0, 0.1)[0] == fmu_master.ERROR, "a step before the initialisation")
        expect(len(instance.log) == 1 and "DoStep" in instance.log[0][2], f"{instance.log}")
        instance.begin(0.0, 1.0)
        for t_s, h_s in ((0.0, 0.0), (0.0, -0.1), (0.5, 0.1), (0.0, 1.5), (math.nan, 0.1)):
            del instance.log[:]
            expect(instance.step(t_s, h_s)[0] == fmu_master.ERROR, f"a step from {t_s} by {h_s}")
            expect(len(instance.log) == 1, f"{instance.log}")
        expect(instance.step(0.0, 0.1)[0] == fmu_master.OK, "a step after refused steps")
        instance.free()


def main():
    options = tap.parser("--module", "--source").parse_args()
    sys.path.insert(0, options.module)
    return tap.run(globals(), options, lambda folder: fmu_export.Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
