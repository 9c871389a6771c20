#!/bin/bash
# The completion for bash offers the commands, options and names of the program: check_completion.sh ROOT WRSIM
set -u
root=$1
PATH=$(cd "$(dirname "$2")" && pwd):$PATH
shopt -s extglob
compopt() { :; } # has an effect only during a completion by readline
. "$root/tools/completion.sh"
cd "$root/models/engine" || exit 1
failed=0

# expect WORD ... -- REPLY ...: checks that the completion of the last WORD offers each REPLY
expect() {
    COMP_WORDS=()
    while [ "$1" != -- ]; do COMP_WORDS+=("$1"); shift; done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _wrsim_bash
    local reply
    for reply; do
        if ! printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$reply"; then
            echo "${COMP_WORDS[*]}: no '$reply' among: ${COMPREPLY[*]}"
            failed=1
        fi
    done
    if [ $# -eq 0 ] && [ ${#COMPREPLY[@]} -ne 0 ]; then
        echo "${COMP_WORDS[*]}: expected nothing, got: ${COMPREPLY[*]}"
        failed=1
    fi
}

expect wrsim '' -- run check bench compare models keys topology engine.toml
expect wrsim ch -- check
expect wrsim rt -- rtcheck
expect wrsim rtcheck eng -- engine.toml
expect wrsim run eng -- engine.toml
expect wrsim run ../two -- ../two_mass/
expect wrsim --mono -- --monolithic
expect wrsim run - -- -D --define -o --json --quiet -q
expect wrsim -D relaxation.sch -- relaxation.scheme=
expect wrsim keys output.f -- output.file
expect wrsim models oscil -- oscillator.mass
expect wrsim models nothing --
expect wrsim compare --limit '' --
expect wrsim bench gro -- growth
expect wrsim sweep eng -- engine.toml
expect wrsim sweep --re -- --results --resume --retry
expect wrsim sweep --format '' -- csv h5
expect wrsim sweep -D relaxation.sch -- relaxation.scheme=
expect wrsim bench --sv -- --svg
expect wrsim bench --baseline arkode-e -- arkode-erk
expect wrsim bench busy eng -- engine.toml
expect wrsim stability --method bdf -- bdf6
expect wrsim partition --gr -- --groups
expect wrsim partition --form '' -- doubly singly
expect wrsim analyze -o ../two -- ../two_mass/
exit $failed
