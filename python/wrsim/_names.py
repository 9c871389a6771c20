"""The most similar name for an unknown name of a port."""

from __future__ import annotations

import difflib

from . import _abi, errors

INPUT, OUTPUT = _abi.wrsim_port_direction.PORT_INPUT, _abi.wrsim_port_direction.PORT_OUTPUT
KINDS = {INPUT: "input port", OUTPUT: "output port"}


def unknown_port(name: str, wanted: str, kinds: dict[str, str]) -> errors.ArgumentError:
    """Returns an error of a name that is no port of the wanted kind. Names the most similar port or variable."""
    ports = [known for known in kinds if kinds[known] == wanted]
    others = {known.rpartition(".")[2].lower(): known for known in kinds} | {known.lower(): known for known in kinds}
    text = f"no {wanted} has the name {name!r:.100}"
    if name in kinds:
        text += f", which is {'a' if kinds[name] == 'variable' else 'an'} {kinds[name]}"
    if near := difflib.get_close_matches(name.lower(), map(str.lower, ports), 1):
        hint = f"did you mean {others[near[0]]!r}?"
    elif name not in kinds and (near := difflib.get_close_matches(name.lower(), others, 1)):
        hint = f"did you mean the {kinds[others[near[0]]]} {others[near[0]]!r}?"
    elif ports:
        hint = f"choose one of: {', '.join(ports[:20])}" + (", ..." if len(ports) > 20 else "")
    else:
        hint = "add a [[port]] to the config" + ("" if wanted == KINDS[INPUT] else ", or name a variable component.variable")
    return errors.argument(f"{text}; {hint}")
