"""The counts of a summary: all entries that must not depend on threads or on the machine."""

# Times, memory, settings, warnings, and entries that depend on the threads.
MEASURED = {"machine", "config_file", "config", "wall_s", "n_worker", "n_active_worker", "schedule_bound_s",
            "accepted_s", "n_record_wait", "n_wait", "memory_bytes", "workers", "warnings"}
MEASURED_PARTS = {"integration_s"}  # the same, of each subsystem


def counted(summary):
    return {key: value for key, value in summary.items() if key not in MEASURED}


def differences(one, other):
    """Returns the keys at which the counts of two summaries differ, with both values."""
    one, other = flat(counted(one)), flat(counted(other))
    return [f"{key}: {one.get(key)} {other.get(key)}" for key in sorted(one.keys() | other.keys())
            if one.get(key) != other.get(key)]


def flat(value, key=""):
    if isinstance(value, dict):
        items = [(f"{key}.{name}", part) for name, part in value.items() if name not in MEASURED_PARTS]
    elif isinstance(value, list):
        items = [(f"{key}[{i}]", part) for i, part in enumerate(value)]
    else:
        return {key: value}
    return {name: leaf for sub, part in items for name, leaf in flat(part, sub).items()}
