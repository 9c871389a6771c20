# Functions for the scripts in this folder. wr_install KIND ... installs missing packages of tools/packages.txt. Without root wr_install
# names the missing packages and fails.

wr_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

wr_install() {
    local kind name why missing=() reasons=()
    for kind in "$@"; do
        while IFS=': ' read -r name why; do
            dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok' && continue
            missing+=("$name")
            reasons+=("  $name: $why")
        done < <(sed -n "s/^$kind //p" "$wr_root/tools/packages.txt")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "These Debian packages are missing; install them as root: ${missing[*]}" >&2
        printf '%s\n' "${reasons[@]}" >&2
        return 1
    fi
    echo "apt-get installs these missing Debian packages:"
    printf '%s\n' "${reasons[@]}"
    apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            "${missing[@]}" >/dev/null
}

# wr_configure FOLDER [MESON OPTION ...]: configures a new build folder, or a build folder of another source tree.
wr_configure() {
    local folder=$1
    shift
    if ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
        echo "'$folder' cannot be written; take a copy of the source tree that is yours" >&2
        return 1
    fi
    if [ ! -f "$folder/build.ninja" ] || ! grep -qF "\"source\": \"$wr_root\"" "$folder/meson-info/meson-info.json"; then
        rm -rf "$folder"
        mkdir -p "$folder"
        meson setup "$folder" "$wr_root" "$@" >"$folder/setup.log" 2>&1 ||
            { tail -n 20 "$folder/setup.log" >&2; return 1; }
    fi
}

# wr_build FOLDER [MESON OPTION ...]: configures, then builds all targets.
wr_build() {
    wr_configure "$@" || return
    ninja -C "$1" >"$1/build.log" 2>&1 ||
        { tail -n 40 "$1/build.log" >&2; return 1; }
}
