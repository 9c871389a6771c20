"""Continues an exported FMU from the bytes of a state, and prints the rows of its outputs as JSON.

    fmu_continue.py FOLDER STATE POINTS
"""
import ast
import json
import sys

import fmu_master


def main():
    fmu = fmu_master.Unpacked(None, sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    instance = fmu_master.Instance(fmu)
    state = instance.deserialise(data)
    instance.restore(state)
    print(json.dumps(instance.run(ast.literal_eval(sys.argv[3]), fmu.names("output"))))
    instance.forget(state)
    instance.free()


if __name__ == "__main__":
    main()
