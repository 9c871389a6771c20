#!/bin/bash
# Installs missing packages (as root), builds, runs the split engine over ten cycles, and compares the run with one solver and with other
# solvers at the same error (see show_engine.py), for ideal gas and for gas in equilibrium. Options are wrsim's: -D KEY=VALUE.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build
echo "Building (about two minutes on two cores the first time) ..."
wr_build "$wr_root/build" --buildtype=release -Dtests=false
wrsim=$wr_root/build/wrsim models=$wr_root/models/engine out=$wr_root/build
"$wrsim" "$models/engine.toml" -o "$out/engine.h5" --json "$out/engine.json" "$@"
echo
echo "Comparing with other solvers (about one minute) ..."
/usr/bin/python3 "$wr_root/tools/show_engine.py" "$wrsim" "$out" "$models/engine.toml" "$models/engine_equilibrium.toml" "$@"
echo
echo "program: $wrsim"
echo "results: $out/engine.h5, summary engine.json and comparison engine_report.json beside it"
