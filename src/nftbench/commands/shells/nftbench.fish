# Completion of nftbench for fish, written by `nftbench completion fish`.
# Each function _nftbench_KIND prints what may stand where the cursor is.

# What is typed of the value, without the flag before it and without quotes.
function _nftbench_typed
    commandline -ct | string replace -r -- '^--[^=]*=' '' | string replace -ra -- '[\'"]' ''
end

function _nftbench_words
    printf '%s\n' $argv
end

function _nftbench_ids
    _nftbench_words @ids@
end

function _nftbench_sessions
    set -l state $HOME/.local/state/nftbench
    test -n "$XDG_STATE_HOME"; and set state $XDG_STATE_HOME/nftbench
    test -n "$@variable@"; and set state $@variable@
    for each in $state/sessions/*
        string replace -r -- '.*/' '' $each
    end
end

function _nftbench_folders
    __fish_complete_directories (_nftbench_typed)
end

function _nftbench_files
    __fish_complete_path (_nftbench_typed)
end

# Names after a comma keep what stands before it.
function _nftbench_instances
    set -l before (_nftbench_typed | string match -r -- '.*,')
    for each in @names@
        printf '%s\n' "$before$each"
    end
end

# Whether the cursor is in this command, and, if places are given, at one of them; with + at the last of them or after it.
function _nftbench_at -a command place more
    set -l words (commandline -opc)
    test "$words[2]" = "$command"; or return 1
    set -q argv[2]; or return 0
    set -e words[1 2]
    set -l places
    set -l pending no
    for each in $words
        if test $pending = yes
            set pending no
        else if contains -- "$command $each" @valued@
            set pending yes
        else if not string match -q -- '-*' $each
            set -a places $each
        end
    end
    test (count $places) = $place; or begin
        test "$more" = +; and test (count $places) -gt $place
    end
end

complete -c nftbench -f
@rows@
