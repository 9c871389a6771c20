#!/bin/bash
# Installs what is missing, builds, and runs all benchmark suites on this machine, which should have
# nothing else to do. Results: build/bench/*.json, *.svg. Options go to every suite, such as --runs 21.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build
wr_install bench || echo "Without them LSODAR is left out." >&2
echo "Building (about half a minute the first time) ..."
wr_build "$wr_root/build" --buildtype=release -Dtests=false
wrsim=$wr_root/build/runtime/wrsim out=$wr_root/build/bench failed=0
for suite in null engine problems windows; do
    echo "== $suite"
    "$wrsim" bench "$wr_root/bench/$suite.toml" --json "$out/$suite.json" --svg "$out/$suite.svg" "$@" ||
        failed=1
done
echo "== growth"
"$wrsim" bench growth --json "$out/growth.json" || failed=1
"$wrsim" bench table "$out/engine.json" || failed=1
echo "results: $out"
exit $failed
