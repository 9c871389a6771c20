# Completion of wrsim for bash. Commands, keys and models come from the program itself.

_wrsim_commands() {
    "$1" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_wrsim_options() { # PROGRAM [COMMAND]
    "$@" --help 2>/dev/null | sed -n '/^options:/,/^$/p' | grep -oE -- '(^|[ ,])--?[A-Za-z-]+' |
        tr -d ' ,'
}

_wrsim_keys() {
    "$1" keys --all 2>/dev/null | sed -n 's/^\([a-z][A-Za-z_.]*\) = .*/\1=/p'
}

_wrsim() {
    local cur prev program command=run named= word commands words i plugin=()
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    program=${COMP_WORDS[0]}
    commands=$(_wrsim_commands "$program")
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word != -* ]] && grep -qxF -- "$word" <<<"$commands"; then
            command=$word named=$word
            break
        fi
    done
    COMPREPLY=()
    case $prev in
    -D | --define)
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "$(_wrsim_keys "$program")" -- "$cur")
        return
        ;;
    --plugin)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.so' -- "$cur"; compgen -d -S / -- "$cur")
        ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == */ ]] && compopt -o nospace
        return
        ;;
    -o | --output | --json)
        if [[ $prev != --json || ! $command =~ ^(check|analyze|partition|sparse|stability|sweep)$ ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
        fi
        ;;
    --svg | --peers | --write | --checkpoint | --restart)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --baseline)
        mapfile -t COMPREPLY < <(compgen -W "monolithic cvode-bdf-dense cvode-bdf-klu cvode-adams
            arkode-erk arkode-erk5 arkode-dirk arkode-dirk5 lsodar" -- "$cur")
        return
        ;;
    --form)
        mapfile -t COMPREPLY < <(compgen -W "doubly singly" -- "$cur")
        return
        ;;
    --method)
        mapfile -t COMPREPLY < <(compgen -W "euler backward_euler trapezoidal midpoint bdf1 bdf2 bdf3 bdf4 bdf5 bdf6
            ab1 ab2 ab3 ab4 ab5 am1 am2 am3 am4 beste heun rk3 rk4 linimp" -- "$cur")
        ;;
    --cases)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.csv' -- "$cur"; compgen -d -S / -- "$cur")
        return
        ;;
    --format)
        mapfile -t COMPREPLY < <(compgen -W "csv h5" -- "$cur")
        return
        ;;
    --pattern | --mass)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.mtx' -- "$cur"; compgen -d -S / -- "$cur")
        return
        ;;
    --parts)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --subsystem | --component | --points | --times | --blocks | --relation | --imbalance | --seed | --alpha | --beta) return ;;
    --results | --jobs | --tau | --samples | --share | --stiff-share | --stiff-radius | --gap | --slow) return ;;
    --limit | --checkpoint-every | --error | --signals | --warm | --runs | --cores | --case | --largest | --load | --total) return ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_wrsim_options "$program" $named)" -- "$cur")
        return
    fi
    case $command in
    models)
        for ((i = 1; i < COMP_CWORD; i++)); do
            [[ ${COMP_WORDS[i]} == --plugin ]] && plugin=(--plugin "${COMP_WORDS[i + 1]}")
        done
        words=$("$program" models "${plugin[@]}" 2>/dev/null | cut -d ' ' -f 1)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        ;;
    keys) mapfile -t COMPREPLY < <(compgen -W "$(_wrsim_keys "$program" | tr -d =)" -- "$cur") ;;
    topology) ;;
    help) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur") ;;
    bench)
        if [[ $prev == bench ]]; then
            mapfile -t COMPREPLY < <(compgen -W "busy growth compare table" -- "$cur")
        fi
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X '!*.@(toml|json)' -- "$cur"; compgen -d -S / -- "$cur")
        ;;
    partition)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(toml|mtx|hgr|hmetis|patoh|u)' -- "$cur"; compgen -d -S / -- "$cur")
        ;;
    sparse)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(toml|mtx)' -- "$cur"; compgen -d -S / -- "$cur")
        ;;
    compare) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|h5|hdf5)' -- "$cur"; compgen -d -S / -- "$cur") ;;
    reduce) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(toml|mtx)' -- "$cur"; compgen -d -S / -- "$cur") ;;
    *)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$cur"; compgen -d -S / -- "$cur")
        if ((COMP_CWORD == 1)); then
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$cur")
        fi
        ;;
    esac
    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace
    fi
}

complete -F _wrsim wrsim
