#compdef wrsim
# Completion of wrsim for bash and zsh. Commands, options, keys and models come from the program, so new words need no change here.
# The help names the kind of every word: CONFIG, FILE, FILE.csv, DIR, KEY=VALUE, or a choice such as csv|h5.

_wrsim_commands() { # PROGRAM
    "$1" --help 2>/dev/null | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_wrsim_keys() { # PROGRAM
    "$1" keys --all 2>/dev/null | sed -n 's/^\([a-z][A-Za-z_.]*\) = .*/\1/p'
}

# PROGRAM [COMMAND]: prints name, value and help of each option, with tabs between. A list of words below an option joins the value.
# A command such as `partition` refers to the help of a second form by a line "wrsim WORDS --help: ...".
_wrsim_options() {
    {
        "$@" --help
        "$@" --help | sed -n 's/^wrsim \(.*\) --help:.*/\1 --help/p' | xargs -r "$1"
    } 2>/dev/null | awk '
        function flush() {
            if (name != "") print name "\t" value "\t" help
            if (letter != "") print letter "\t" value "\t" help
            name = letter = ""
        }
        /^options:/ { on = 1; next }
        /^$/ { flush(); on = 0 }
        on && /^ +-/ {
            flush()
            help = $0
            if (match(help, /^ +-.,/)) letter = substr(help, RLENGTH - 2, 2)
            sub(/^ +(-., )? */, "", help)
            match(help, /^--[A-Za-z-]+/)
            name = substr(help, 1, RLENGTH)
            help = substr(help, RLENGTH + 1)
            value = match(help, /^ [^ ]+/) ? substr(help, 2, RLENGTH - 1) : ""
            help = substr(help, value == "" ? 1 : RLENGTH + 1)
            sub(/^ +/, "", help)
        }
        on && /^            / && (help ~ /:$/ || list == name) {
            list = name
            gsub(/^ +|,$/, "")
            gsub(/, */, "|")
            value = value "|" $0
        }
        END { flush() }'
}

# PROGRAM COMMAND: prints the words of the usage lines behind the command.
_wrsim_operands() {
    "$@" --help 2>/dev/null |
        sed -n '1,/^$/{s/^usage://;s/^ *wrsim [a-z]* *//;s/\[OPTIONS\] //;s/  .*//;p;}' | tr -s '|[] ' '\n'
}

# Reads kinds of words, as "FILE.csv" or "csv|h5", and prints candidates: words, patterns such as *.csv for files, and / for folders.
_wrsim_candidates() { # PROGRAM
    local kind
    tr '|' '\n' | while read -r kind; do
        case $kind in
        KEY=*) _wrsim_keys "$1" | sed 's/$/=/' ;;
        KEY) _wrsim_keys "$1" ;;
        COMMAND) _wrsim_commands "$1" ;;
        MODEL) "$1" models ${plugin:+"--plugin=$plugin"} 2>/dev/null </dev/null | cut -d ' ' -f 1 ;;
        CONFIG) echo '*.toml' ;;
        RESULT | REFERENCE) printf '%s\n' '*.csv' '*.h5' '*.hdf5' '*.mat' ;;
        FILE | PROGRAM) echo '*' ;;
        DIR) echo / ;;
        *...*) ;;
        *.*) echo "*.${kind##*.}" ;;
        [[:lower:]]*) echo "$kind" ;;
        esac
    done
}

_wrsim_bash() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
    local command=run named='' plugin='' word words value commands has_folders=0 i
    commands=$(_wrsim_commands "$program")
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ $word == --plugin ]] && plugin=${COMP_WORDS[i + 1]}
        if [[ -z $named && $word != -* ]] && grep -qxF -- "$word" <<<"$commands"; then
            command=$word named=$word
        fi
    done
    value=$(_wrsim_options "$program" $named | awk -F '\t' -v option="$prev" '$1 == option { print $2; exit }')
    if [[ -n $value ]]; then
        words=$(_wrsim_candidates "$program" <<<"$value")
    elif [[ $cur == -* ]]; then
        words=$(_wrsim_options "$program" $named | cut -f 1)
    else
        words=$(_wrsim_operands "$program" "$command" | _wrsim_candidates "$program")
        ((COMP_CWORD == 1)) && words+=$'\n'$commands
    fi
    COMPREPLY=()
    local plain=''
    while read -r word; do
        case $word in
        '*') mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
        /) has_folders=1 ;;
        '*.'*)
            has_folders=1
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!$word" -- "$cur")
            ;;
        *) plain+=$word$'\n' ;;
        esac
    done < <(awk '!seen[$0]++' <<<"$words")
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$plain" -- "$cur")
    ((has_folders)) && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -S / -- "$cur")
    [[ ${#COMPREPLY[@]} -ge 1 && ${COMPREPLY[0]} == *[/=] ]] && compopt -o nospace
}

_wrsim_offer() { # KIND ...
    local word
    for word in ${(f)"$(printf '%s\n' "$@" | _wrsim_candidates $program)"}; do
        case $word in
        /) _files -/ ;;
        '*'*) _files -g "$word" ;;
        *=) compadd -S = -- "${word%=}" ;;
        *) compadd -- "$word" ;;
        esac
    done
}

_wrsim_zsh() {
    local program=$words[1] command=run named='' plugin='' option value help word
    local -a commands specs operands
    commands=(${(f)"$(_wrsim_commands $program)"})
    plugin=${words[${words[(i)--plugin]} + 1]-}
    for word in $words[2,CURRENT-1]; do
        (( ${commands[(Ie)$word]} )) && command=$word named=$word && break
    done
    _wrsim_options $program $named | while IFS=$'\t' read -r option value help; do
        help=${${${help//:/\\:}//\[/\\[}//\]/\\]}
        [[ -n $value ]] && value=":${value%%\|*}:{_wrsim_offer '$value'}"
        specs+=("*$option"$'['"$help]$value")
    done
    operands=(${(f)"$(_wrsim_operands $program $command)"})
    (( CURRENT == 2 )) && operands+=($commands)
    _arguments $specs '*:operand:{_wrsim_offer $operands}'
}

if [ -n "${ZSH_VERSION-}" ]; then
    _wrsim_zsh "$@"
else
    complete -F _wrsim_bash wrsim
fi
