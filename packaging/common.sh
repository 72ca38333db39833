# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154
# What packaging/run and packaging/test share. The caller has set root (the repository's folder).

say() { printf '== %s\n' "$*"; }
fail() { printf 'megalith: error: %s\n' "$*" >&2; exit 1; }

# The names in lists of packages, without comments.
names_in()
{
    local list
    for list in "$@"; do
        sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$root/packaging/packages.$list"
    done
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing_of()
{
    local name
    names_in "$@" | while read -r name; do is_installed "$name" || printf '%s\n' "$name"; done
}

# as_root COMMAND...: as it is for root, else through sudo.
as_root()
{
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

can_be_root()
{
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null || return 1
    sudo -n true 2>/dev/null || [ -t 0 ]  # on a terminal sudo can ask for a password
}

apt_install()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

apt_update() { as_root apt-get update -q -o DPkg::Lock::Timeout=300; }

known_to_apt() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[!\(]* ]]; }

# need_packages LIST...: installs what is missing of these lists, asking apt for nothing else. What the list "optional"
# names may stay missing; anything else ends the script with the names of what to install.
need_packages()
{
    local list name missing=() optional=() left=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "There is no apt here, so nothing is installed. Megalith needs, by Debian's names:"
        for list in "$@"; do printf '   %-9s %s\n' "$list:" "$(names_in "$list" | paste -sd' ')"; done
        return 0
    fi
    for list in "$@"; do
        while read -r name; do
            if [ "$list" = optional ]; then optional+=("$name"); else missing+=("$name"); fi
        done < <(missing_of "$list")
    done
    if [ $((${#missing[@]} + ${#optional[@]})) -eq 0 ]; then
        say "All packages are here."
        return 0
    fi
    if ! can_be_root; then
        if [ ${#missing[@]} -gt 0 ]; then
            fail "packages are missing and there is neither root nor sudo to install them; as root, run
  apt-get install ${missing[*]}"
        fi
        say "Not installed, and not needed to go on: ${optional[*]}"
        return 0
    fi

    say "Installing with apt: $(printf '%s ' "${missing[@]}" "${optional[@]}")"
    for name in "${missing[@]}" "${optional[@]}"; do
        known_to_apt "$name" || { apt_update || say "apt-get update failed; going on with the lists that are here."; break; }
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt_install "${missing[@]}" || { apt_update && apt_install "${missing[@]}"; } \
            || fail "apt could not install: ${missing[*]}"
    fi
    for name in "${optional[@]}"; do
        known_to_apt "$name" && left+=("$name")
    done
    if [ ${#left[@]} -gt 0 ]; then
        apt_install "${left[@]}" || say "Going on without: ${left[*]}"
    fi
}

# How many compilers fit: one a core, and one for every 1.5 GB of memory.
build_jobs()
{
    local cores memory
    cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
    memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo 2>/dev/null)
    [ -n "$memory" ] && [ "$memory" -lt "$cores" ] && cores=$memory
    [ "$cores" -ge 1 ] || cores=1
    printf '%s\n' "$cores"
}

# build PRESET [TARGET...] [-- OPTION...]
configure_and_build()
{
    local preset=$1 targets=() options=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
    [ $# -gt 0 ] && shift
    options=("$@")
    say "Building $preset in build/$preset"
    (cd "$root" && cmake --preset "$preset" "${options[@]}" \
        && cmake --build --preset "$preset" -j "$(build_jobs)" ${targets[@]:+--target "${targets[@]}"})
}
