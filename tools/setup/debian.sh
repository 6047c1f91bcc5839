# SPDX-License-Identifier: Apache-2.0
# Installs Debian's packages from a list such as packages.txt. Sourced after lib.sh, never run.

missing_packages() {  # missing_packages FILE: those of a list like packages.txt that are not there
  local package proof version
  version=$(debian_version)
  while read -r package proof _; do
    case $package in
      '' | '#'*) continue ;;
      */*) [ "${version%%.*}" -ge "${package#*/}" ] 2>/dev/null || continue ;;
    esac
    package=${package%/*}
    have "$proof" || echo "$package"
  done <"$1"
}

# Turns apt's chatter into one line that changes, or into a few lines where that is not a terminal.
show_progress() {
  local terminal=0
  [ ! -t 2 ] || terminal=1
  awk -v terminal=$terminal '
    function show(step, done, name) {
      if (terminal) printf "\r\033[Ksetup: %s [%d/%s] %s", step, done, total, name
      else if (done % 50 == 0) printf "setup: %s [%d/%s]\n", step, done, total
      fflush()
    }
    /newly installed/ { for (i = 1; i < NF; i++) if ($(i + 1) == "newly") total = $i }
    /^Get:/           { show("downloading", ++got, $5) }
    /^Unpacking /     { show("unpacking", ++unpacked, $2) }
    /^Setting up /    { show("setting up", ++done, $3) }
    END               { if (done) printf "%ssetup: installed %d packages\n",
                          terminal ? "\r\033[K" : "", done }' >&2
}

install_packages() {  # install_packages PACKAGE…
  local version log=$tern_cache/apt.log
  version=$(debian_version)
  [ -n "$version" ] || give_up "this is not Debian, so nothing is installed automatically" \
    "Install what Debian calls: $*" \
    "(the list that names them says what each is for), then run this again."
  [ "${version%%.*}" -ge 12 ] || give_up "Debian $version is too old; 12 or newer is needed"
  can_be_root || give_up "packages are missing and this user is neither root nor allowed sudo" \
    "Ask an administrator to run:" "  apt-get update && apt-get install --no-install-recommends $*"
  say "installing from Debian: $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update >"$log" 2>&1 ||
    { tail -n 5 "$log" >&2; give_up "apt-get update failed (log: $log)"; }
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 install \
    --no-install-recommends "$@" 2>&1 | tee "$log" | show_progress ||
    { tail -n 15 "$log" >&2; give_up "apt-get install failed (log: $log)"; }
}

install_missing() {  # install_missing FILE
  local missing
  mapfile -t missing < <(missing_packages "$1")
  [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
  mapfile -t missing < <(missing_packages "$1")
  [ ${#missing[@]} -eq 0 ] || give_up "still missing after installing: ${missing[*]}"
}
