# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Packages of any Debian suite, with lists and state of their own in $cache/apt. To be sourced;
# say is to be there.
arch=$(dpkg --print-architecture)
mkdir -p "$cache"/{apt,log}

# uri SUITE: where apt gets this machine's own suite of that kind ("", "-security")
uri() {
	apt-get indextargets --format '$(RELEASE)|$(REPO_URI)' 'Created-By: Packages' |
		awk -F'|' -v release="$(. /etc/os-release && echo "$VERSION_CODENAME")$1" \
			'$1 == release { print $2; exit }'
}

main=${MATRIX_MIRROR:-$(uri "")}
security=${MATRIX_SECURITY_MIRROR:-$(uri -security)}
keyring=${MATRIX_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
if [ -z "$main" ]; then
	say "apt names no source for this release: set MATRIX_MIRROR"
	exit 1
fi

# apt_in SUITE TOOL ARGUMENT...: with lists and state of its own, as on an empty system
apt_in() {
	local state=$cache/apt/$1 tool=$2
	shift 2
	"$tool" -q -o Dir::Etc="$state/etc" -o Dir::Etc::sourcelist="$state/etc/sources.list" \
		-o Dir::Etc::sourceparts="$state/etc/none" -o Dir::Etc::parts="$state/etc/none" \
		-o Dir::Etc::preferencesparts="$state/etc/none" -o Dir::State="$state" \
		-o Dir::State::status="$state/status" -o Dir::State::lists="$state/lists" \
		-o Dir::Cache="$state/cache" -o APT::Architecture="$arch" \
		-o APT::Architectures::="$arch" -o Acquire::Languages=none \
		-o APT::Install-Recommends=0 -o APT::Sandbox::User= \
		-o APT::Update::Error-Mode=any "$@"
}

# update SUITE: its lists, at most once an hour
update() {
	local suite=$1 state=$cache/apt/$1 options
	if [ -n "$(find "$state/updated" -mmin -60 2>/dev/null)" ]; then
		return 0
	fi
	mkdir -p "$state"/{etc/none,lists/partial,cache/archives/partial}
	: >"$state/status"
	options="[arch=$arch signed-by=$keyring]"
	{
		echo "deb $options $main $suite main"
		case $suite in
		*-backports) echo "deb $options $main ${suite%-backports} main" ;;
		sid) ;;
		experimental) echo "deb $options $main sid main" ;;
		*) [ -z "$security" ] || echo "deb $options $security $suite-security main" ;;
		esac
	} >"$state/etc/sources.list"
	apt_in "$suite" apt-get update >"$cache/log/update-$suite" 2>&1 && touch "$state/updated"
}

# versions SUITE PACKAGE: what the suite itself has, newest first
versions() {
	apt_in "$1" apt-cache madison "$2" 2>/dev/null | awk -F'|' -v suite="$1" '{
		gsub(/ /, "", $2)
		split($3, at, " ")
		sub("/.*", "", at[2])
		if (at[2] == suite || at[2] == suite "-security")
			print $2
	}' | uniq
}
