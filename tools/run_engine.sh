#!/bin/bash
# Installs what is missing (as root), builds, and runs the split engine over four cycles.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build
echo "Building (about half a minute the first time) ..."
wr_build "$wr_root/build" --buildtype=release -Dtests=false
echo "program: $wr_root/build/wrsim"
exec "$wr_root/build/wrsim" "$wr_root/models/engine/engine.toml" -o "$wr_root/build/engine.h5" --json "$wr_root/build/engine.json" "$@"
