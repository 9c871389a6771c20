#!/bin/bash
# Installs missing packages (as root), builds, runs the split engine over ten cycles, and compares the run with
# its monolithic twin at the same error (see show_engine.py). Options are wrsim's: -D KEY=VALUE.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build
echo "Building (about half a minute the first time) ..."
wr_build "$wr_root/build" --buildtype=release -Dtests=false
wrsim=$wr_root/build/wrsim config=$wr_root/models/engine/engine.toml out=$wr_root/build
"$wrsim" "$config" -o "$out/engine.h5" --json "$out/engine.json" "$@"
echo
echo "Comparing with the monolithic twin (about a quarter of a minute) ..."
/usr/bin/python3 "$wr_root/tools/show_engine.py" "$wrsim" "$config" "$out" "$@"
echo
echo "program: $wrsim"
echo "results: $out/engine.h5, summary engine.json and comparison engine_report.json beside it"
