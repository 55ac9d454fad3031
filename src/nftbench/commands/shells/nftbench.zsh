#compdef nftbench
# Completion of nftbench for zsh, written by `nftbench completion zsh`.
# Each function _nftbench_KIND offers what may stand at the cursor; zsh hands it options of compadd.

_nftbench_nothing() { _message -e values value }

_nftbench_words() { compadd "$@" }

_nftbench_ids() { compadd "$@" -- @ids@ }

_nftbench_sessions() {
  local state="${@variable@:-${XDG_STATE_HOME:-$HOME/.local/state}/nftbench}/sessions"
  compadd "$@" -- "$state"/*(N:t)
}

_nftbench_folders() { _files "$@" -/ }

_nftbench_files() { _files "$@" }

# Names after a comma keep what stands before it; no space, since a comma may follow.
_nftbench_instances() {
  compset -P '*,'
  compadd "$@" -S '' -- @names@
}

_nftbench() {
  local -a commands=(
@commands@
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then compadd -- @root@; else _describe command commands; fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
@rows@
  esac
}

if [[ $funcstack[1] == _nftbench ]]; then _nftbench "$@"; else compdef _nftbench nftbench; fi
