#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash, zsh and fish offer behind a command, as these shells themselves do it.
. "$(dirname "$0")/tap.sh"

made=$BUILD/completion

# bash_offers WORD...: the last is the one being typed; "=" is a word of its own there
bash_offers()
{
	bash -c '
		compopt() { :; }
		source "'"$made/bash/$1"'"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		"_${1//-/_}"
		printf "%s\n" "${COMPREPLY[@]}" | LC_ALL=C sort' - "$@" >../out
}

fish_offers()
{
	HOME=$scratch fish --no-config -c "
		source '$made/fish/${1%% *}.fish'
		complete -C '$1'" 2>../err | cut -f1 | LC_ALL=C sort >../out
}

zsh_offers()
{
	HOME=$scratch zsh -f "$SRCDIR/cmd/tests/zsh-offers" "$made/zsh" "$1" >../out 2>../err
}

# The long options of a command's --help.
options()
{
	"$1" --help | sed -n 's/^ \+\(-., \)\?\(--[a-z-]*\).*/\2/p' | LC_ALL=C sort -u
}

mkdir folder
: >a.data
for path in "$BUILD"/perfjit-*; do
	command=${path##*/}
	[ -x "$path" ] && [ ! -d "$path" ] || continue
	case $command in *.*) continue ;; esac
	at_least "$command has options" "$(options "$command" | wc -l)" 10
	bash_offers "$command" --
	is "bash offers all of $command" "$(sed 's/=$//' ../out | sort -u)" "$(options "$command")"
	fish_offers "$command --"
	is "fish offers all of $command" "$(cat ../out)" "$(options "$command")"
	zsh_offers "$command --"
	missing=
	for option in $(options "$command"); do
		grep -q -e "$option " ../out || missing="$missing $option"
	done
	is "zsh offers all of $command" "$missing" ''
done

layouts='auto
region
trampoline'
bash_offers perfjit-fix --layout = ''
is "bash: values behind =" "$(cat ../out)" "$layouts"
bash_offers perfjit-fix --layout = r
is "bash: values that begin like that" "$(cat ../out)" region
bash_offers perfjit-fix --dso-dir = ''
is "bash: folders" "$(cat ../out)" folder
bash_offers perfjit-fix -o ''
is "bash: files behind a short option" "$(cat ../out)" "a.data
folder"
bash_offers perfjit-fix a
is "bash: files" "$(cat ../out)" a.data
fish_offers 'perfjit-fix --layout='
is "fish: values" "$(sed 's/.*=//' ../out)" "$layouts"
fish_offers 'perfjit-fix --dso-dir='
is "fish: folders" "$(sed 's/.*=//' ../out)" folder/
zsh_offers 'perfjit-fix --layout='
out_has "zsh: values" 'auto  *region  *trampoline'
zsh_offers 'perfjit-fix --dso-dir='
out_has "zsh: folders" 'folder'
is "zsh: no files there" "$(grep -c 'a\.data' ../out)" 0

cat >odd <<'EOT'
      --odd=WHATEVER         A value that is not known
EOT
run sh -c "'$SRCDIR/.scripts/completion' bash perfjit-odd <odd"
exits 1 "what is offered for a value must be said"
err_has "by name" 'perfjit-odd --odd: what is WHATEVER'
done_testing
