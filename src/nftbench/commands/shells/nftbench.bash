# Completion of nftbench for bash (3.2 and later), written by `nftbench completion bash`.
# Each function _nftbench_KIND offers what may stand where $current is.

_nftbench_offer() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}

_nftbench_nothing() { :; }

_nftbench_words() { _nftbench_offer < <(IFS=$' \t\n' compgen -W "$*" -- "$current"); }

_nftbench_ids() { _nftbench_words @ids@; }

_nftbench_sessions() {
  local state="${@variable@:-${XDG_STATE_HOME:-$HOME/.local/state}/nftbench}/sessions" each
  for each in "$state"/*; do
    [[ -e $each && ${each##*/} == "$current"* ]] && COMPREPLY+=("${each##*/}")
  done
}

# A quoted or otherwise unusual beginning, which compgen finds nothing for, is left to bash itself.
_nftbench_folders() {
  compopt -o filenames -o dirnames 2>/dev/null
  _nftbench_offer < <(compgen -d -- "$current")
}

_nftbench_files() {
  compopt -o filenames -o default 2>/dev/null
  _nftbench_offer < <(compgen -f -- "$current")
}

# Names after a comma keep what stands before it. Outside quotes a star is told as the shell takes it for itself.
_nftbench_instances() {
  local typed="${current//[\"\'\\]/}" star='\*' before="" name
  [[ $current == [\"\']* ]] && star='*'
  [[ $typed == *,* ]] && before="${typed%,*},"
  compopt -o nospace 2>/dev/null
  for name in @names@; do
    name=$before$name
    [[ $name == "$typed"* ]] && COMPREPLY+=("${name//\*/$star}")
  done
}

# Sets $kind to what takes the place that is named: COMMAND FLAG, COMMAND NUMBER, or COMMAND - for the flags of a command.
_nftbench_kind() {
  kind=
  case $1 in
@rows@
  esac
}

_nftbench() {
  local current=${COMP_WORDS[COMP_CWORD]} command="" place=0 kind="" index each
  COMPREPLY=()
  [[ $current == = ]] && current=""
  [[ $COMP_CWORD -gt 1 ]] && command=${COMP_WORDS[1]}
  for ((index = 2; index < COMP_CWORD; index++)); do
    each=${COMP_WORDS[index]}
    if [[ $each == = ]]; then continue
    elif [[ -n $kind ]]; then kind=""
    elif [[ $each == -* ]]; then _nftbench_kind "$command $each"
    else place=$((place + 1)); fi
  done
  if [[ -z $kind && $current != -* ]]; then _nftbench_kind "$command $place"; fi
  if [[ -z $kind ]]; then _nftbench_kind "$command -"; fi
  if [[ -n $kind ]]; then eval "_nftbench_$kind"; fi
}

complete -o nosort -F _nftbench nftbench 2>/dev/null || complete -F _nftbench nftbench
