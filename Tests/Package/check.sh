# Sourced by scripts/check, never run.
# shellcheck shell=bash

# The unit, the manuals, the completions, and the Debian packages, which it installs in a small Debian of its own and
# purges again.
check_package() {
  # How much of the system the service may be exposed to, as systemd-analyze security has it.
  most_exposure=1.5
  chroot_folder=.build-package/chroot
  scripts="$PWD/scripts"
  folder=$(mktemp -d -t 8ball-check-XXXXXX)
  # apt reads packages as a user of its own.
  chmod 755 "$folder"
  trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

  # files FOLDER: its files, except those that every installation or program leaves behind.
  files() {
    (cd "$1" && find . \( -path ./proc -o -path ./sys -o -path ./var/log -o -path ./var/cache \
      -o -path ./var/lib/apt -o -path ./tmp \) -prune -o -print |
      grep -vE '^\./(etc/(passwd|group|shadow|gshadow)-|etc/\.pwd\.lock|var/lib/dpkg/.*-old|root/.*)$' |
      LC_ALL=C sort)
  }

  steps 7
  step "What is needed"
  scripts/setup package
  step_done

  step "The programs"
  scripts/build eightballd
  is_own=false
  [ -n "${EIGHTBALL:-}" ] || is_own=true
  daemon="$PWD/$eightballd_folder/$(this_target)/eightballd"
  if [ -z "${EIGHTBALL:-}" ]; then
    scripts/build release panel
    EIGHTBALL="$PWD/$build_folder/release/eightball"
  fi
  EIGHTBALL=$(from_user "$EIGHTBALL")
  printf '\177ELF of another machine' >"$folder/foreign"
  chmod +x "$folder/foreign"
  for option in --binary --daemon; do
    if scripts/package "$option" "$folder/foreign" "$folder/none" >/dev/null 2>"$folder/log"; then
      fail "A program that does not start was accepted."
    fi
    grep -q "does not start here" "$folder/log" || fail "$(cat "$folder/log")"
  done
  step_done

  step "The packages"
  scripts/package --binary "$EIGHTBALL" "$folder"
  mkdir "$folder/again"
  # By paths from where the user stands, which is not the checkout.
  (cd "$folder" && "$scripts/package" --binary "$EIGHTBALL" --daemon "$daemon" again) >/dev/null
  suffix="_$(program_version)_$(dpkg --print-architecture).deb"
  packages=("$folder/eightball$suffix" "$folder/eightballd$suffix")
  # The panel may be missing beside a program that EIGHTBALL names.
  [ ! -x "${EIGHTBALL%/*}/eightball-panel" ] || packages+=("$folder/eightball-panel$suffix")
  diff <(printf '%s\n' "${packages[@]}" | sort) <(printf '%s\n' "$folder"/*.deb | sort) ||
    fail "scripts/package made other packages."
  for package in "${packages[@]}"; do
    cmp "$package" "$folder/again/${package##*/}" || fail "The same sources gave another package."
    dpkg-deb --extract "$package" "$folder/root"
  done
  echo "Made twice, they are the same."
  scripts/package armv6 "$folder" | tail -n 1
  foreign="$folder/eightballd_$(program_version)_armhf.deb"
  [ "$(dpkg-deb -f "$foreign" Architecture)" = armhf ] || fail "The package for armv6 is not Debian's armhf."
  lintian --allow-root --fail-on error,warning "${packages[@]}" "$foreign" || fail "lintian finds faults."
  echo "lintian finds no errors and no warnings."
  git status --porcelain --ignored debian | grep -v ' debian/changelog$' && fail "scripts/package left these files."
  step_done

  step "The programs of the packages"
  installed="$folder/root/usr/bin/eightball"
  installed_daemon="$folder/root/usr/bin/eightballd"
  echo "eightballd has $(stat -c %s "$installed_daemon") bytes, and needs no library."
  check_figure 'the service'"'"'s program, `eightballd` |' "$(stat -c %s "$installed_daemon")"
  check_figure "its Debian package |" "$(stat -c %s "$folder/eightballd$suffix")"
  # A program that EIGHTBALL names may be built in another way.
  if $is_own; then
    check_figure 'the tools, `eightball`, with Swift'"'"'s runtime and without symbols |' "$(stat -c %s "$installed")"
    check_figure "their Debian package |" "$(stat -c %s "$folder/eightball$suffix")"
  fi
  if ldd "$installed_daemon" >"$folder/log" 2>&1; then fail "It needs libraries:" "$(cat "$folder/log")"; fi
  echo "eightball has $(stat -c %s "$installed") bytes, and needs these libraries:"
  ldd "$installed" | sed -n 's/^\t\([^ ]*\) => .*/  \1/p' | sort
  if ldd "$installed" | grep -i swift; then fail "Swift's runtime is not inside the program."; fi
  server="$folder/root/usr/libexec/eightball/eightball-panel"
  if [ -x "$server" ]; then
    if ldd "$server" | grep -iE 'swift|gpiod'; then fail "The panel's server needs libraries that are not the system's."; fi
    "$installed" panel --port 0 >"$folder/panel" 2>&1 &
    for tries in $(seq 200); do
      if grep -q '^http' "$folder/panel"; then break; fi
      [ "$tries" != 200 ] || fail "The panel does not start:" "$(cat "$folder/panel")"
      sleep 0.1
    done
    kill $!
    wait $! || fail "The panel ended with status $?."
    echo "eightball-panel has $(stat -c %s "$server") bytes, and starts."
    # It opens no radio. The code has the names of bluetoothd's methods, the descriptions of its types have that of the
    # module, and the symbols, which only a program of this build has, its mangled name.
    for name in 'org\.bluez' '\x00BlueZ\x00'; do
      LC_ALL=C grep -aqP "$name" "$installed" || fail "eightball lacks the radio beside bluetoothd."
      ! LC_ALL=C grep -aqP "$name" "$server" ||
        fail "eightball-panel contains the module BlueZ: which module of the panel's server imports it?"
    done
    if $is_own; then
      symbols_of_bluez() { nm "$1" | grep -c 5BlueZ || true; }
      [ "$(symbols_of_bluez "$EIGHTBALL")" != 0 ] || fail "eightball has no symbol of the module BlueZ."
      [ "$(symbols_of_bluez "${EIGHTBALL%/*}/eightball-panel")" = 0 ] ||
        fail "eightball-panel has symbols of the module BlueZ: which module of the panel's server imports it?"
      check_figure 'the panel'"'"'s server, `eightball-panel` |' "$(stat -c %s "$server")"
      check_figure "the server's Debian package |" "$(stat -c %s "$folder/eightball-panel$suffix")"
    fi
  else
    echo "eightball-panel is not beside $EIGHTBALL."
  fi
  step_done

  step "The unit"
  # The unit as it is, except for the path of the program.
  unit="$folder/eightball.service"
  sed "s#^ExecStart=/usr/bin#ExecStart=$folder/root/usr/bin#" \
    "$folder/root"/{usr/,}lib/systemd/system/eightball.service >"$unit" 2>/dev/null || true
  grep -q "^ExecStart=$folder" "$unit" || fail "The package eightballd has no unit."
  complaints=$(MANPATH="$folder/root/usr/share/man" systemd-analyze verify --recursive-errors=no "$unit" 2>&1) ||
    fail "systemd-analyze verify failed:" "$complaints"
  [ -z "$complaints" ] || fail "systemd-analyze verify complains:" "$complaints"
  echo "systemd-analyze verify finds nothing."
  # The threshold is given in tenths.
  security=$(systemd-analyze security --offline=true --threshold="${most_exposure/./}" "$unit") ||
    fail "$(tail -n 1 <<<"$security") That is over $most_exposure."
  tail -n 1 <<<"$security" | sed 's/^[^A-Z]*//'
  # A file for each process. The program is this script's own child, which a signal ends. Only the service counts.
  answers "$folder" "$installed" strace -D -ff -qq -o "$folder/trace" "$installed_daemon" \
    --control "$folder/control" >/dev/null
  python3 Tests/Package/syscalls.py "$unit" "$folder"/trace.*
  step_done

  step "The manuals and the completions"
  gunzip -c "$folder/root/usr/share/man/man8/eightballd.8.gz" >"$folder/eightballd.8"
  mandoc -T lint -W warning "$folder/eightballd.8"
  "$installed_daemon" --help >"$folder/help"
  python3 Tests/Package/manual_eightballd.py "$folder/eightballd.8" <"$folder/help"
  manual="$folder/root/usr/share/man/man1/eightball.1.gz"
  gunzip -c "$manual" >"$folder/eightball.1"
  mandoc -T lint -W warning "$folder/eightball.1"
  # Each command and each option of the help is in the manual.
  "$installed" --experimental-dump-help | python3 Tests/Package/manual.py "$folder/eightball.1"
  share="$folder/root/usr/share"
  bash -n "$share/bash-completion/completions/eightball"
  zsh -n "$share/zsh/vendor-completions/_eightball"
  fish --no-execute "$share/fish/vendor_completions.d/eightball.fish"
  # The completion asks the program, which the shell finds on the path.
  # shellcheck disable=SC2016
  offered=$(PATH="$folder/root/usr/bin:$PATH" bash --norc -c '
    source "$1"
    COMP_WORDS=(eightball ru) COMP_CWORD=1 COMP_LINE="eightball ru" COMP_POINT=12
    _eightball eightball ru eightball 2>/dev/null
    echo "${COMPREPLY[*]}"' bash "$share/bash-completion/completions/eightball")
  [ "$offered" = "run" ] || fail "bash completes 'eightball ru' with: ${offered:-nothing}"
  echo "bash, zsh and fish can read them; bash completes 'eightball ru' with '$offered'."
  step_done

  step "The packages in a Debian of its own"
  [ "$(id -u)" = 0 ] || fail "This needs root: run sudo scripts/check package."
  if [ "$(cat "$chroot_folder/made-of" 2>/dev/null)" != "$codename" ]; then
    rm -rf "$chroot_folder"
    mkdir -p "$chroot_folder"
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
      sed -n "s/^$codename //p" | head -n 1)
    [ -n "$mirror" ] || fail "The system's package sources have no release called ${codename:-?}."
    echo "Making a small Debian $codename in $chroot_folder"
    debootstrap --variant=minbase "$codename" "$chroot_folder" "${mirror%/}" >"$folder/debootstrap" 2>&1 ||
      fail "debootstrap failed:" "$(tail -n 5 "$folder/debootstrap")"
    cp -rL /etc/apt/. "$chroot_folder/etc/apt/"
    echo "$codename" >"$chroot_folder/made-of"
  fi
  # Runs a command there, with $folder and the scripts at the same paths. It has a /proc of its own, from which Swift
  # reads a program's arguments.
  # shellcheck disable=SC2016
  inside=(
    unshare --mount sh -c 'mount -t proc proc "$0/proc"
      for each in "$1" "$2"; do mkdir -p "$0$each" && mount --bind "$each" "$0$each" || exit; done
      shift 2 && exec chroot "$0" "$@"' "$chroot_folder" "$folder" "$scripts"
    env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  )
  {
    echo '#!/usr/bin/env bash'
    echo "exec $(printf '%q ' "${inside[@]}") eightball \"\$@\""
  } >"$folder/tool"
  chmod +x "$folder/tool"
  cp /etc/resolv.conf "$chroot_folder/etc/resolv.conf" 2>/dev/null || true
  # Without what they need of each other.
  depends=$(for package in "${packages[@]}"; do dpkg-deb -f "$package" Depends; done |
    sed 's/eightball (= [^)]*), //' | paste -sd ',')
  # The package of an older version has a file that this one lacks, and one that is in another package now.
  dpkg-deb --raw-extract "$folder/eightball$suffix" "$folder/older"
  sed -i 's/^Version: .*/Version: 0.1.0/' "$folder/older/DEBIAN/control"
  mkdir -p "$folder"/older/usr/{share,libexec}/eightball
  touch "$folder/older/usr/share/eightball/old" "$folder/older/usr/libexec/eightball/eightball-panel"
  dpkg-deb --build "$folder/older" "$folder/older.deb" >/dev/null
  {
    "${inside[@]}" apt-get update -qq &&
    "${inside[@]}" apt-get install -qq -y --no-install-recommends systemd-standalone-sysusers &&
    # Installs the dependencies first: they are not compared.
    "${inside[@]}" apt-get satisfy -qq -y --no-install-recommends "$depends" &&
    "${inside[@]}" dpkg --purge eightball-panel eightball eightballd &&
    files "$chroot_folder" >"$folder/before" &&
    "${inside[@]}" dpkg --install "$folder/older.deb" &&
    # By paths from where the user stands, which is not the checkout.
    "${inside[@]}" sh -c 'cd "$0" && "$@"' "$folder" "$scripts/install" "${packages[@]##*/}"
  } >"$folder/apt" 2>&1 || fail "The packages cannot be installed:" "$(tail -n 15 "$folder/apt")"
  [ ! -e "$chroot_folder/usr/share/eightball" ] || fail "An update left a folder of the older version."
  if [ -x "$server" ]; then
    cmp "$server" "$chroot_folder/usr/libexec/eightball/eightball-panel" ||
      fail "After an update from a version with the panel's server in the tools, it is not the new one."
  fi
  is_enabled() { [ -L "$chroot_folder/etc/systemd/system/multi-user.target.wants/eightball.service" ]; }
  is_enabled || fail "The service is not enabled."
  for name in eightball eightballd; do
    [ "$("${inside[@]}" "$name" --version)" = "$(program_version)" ] || fail "$name has another version."
  done
  "${inside[@]}" eightball run --help >"$folder/help"
  grep -q -- '--radio' "$folder/help" || fail "Its help does not name --radio:" "$(cat "$folder/help")"
  # Not grep -q, which ends at its match: the program may still write, to a pipe without a reader.
  "${inside[@]}" eightball boards 2>/dev/null | grep 'pi-4b' >/dev/null
  answers "$folder" "$folder/tool" "${inside[@]}" eightballd
  answers "$folder" "$folder/tool" "${inside[@]}" eightball run
  "${inside[@]}" id eightball
  # Installs again, as an update, which keeps the settings.
  settings="$chroot_folder/etc/default/eightball"
  echo "# mine" >>"$settings"
  "${inside[@]}" "$scripts/install" "${packages[@]}" >"$folder/apt" 2>&1 ||
    fail "scripts/install fails the second time:" "$(cat "$folder/apt")"
  grep -q '^# mine' "$settings" || fail "An update lost the settings."
  is_enabled || fail "After an update, the service is not enabled."
  # remove remove|purge PACKAGE
  remove() {
    "${inside[@]}" apt-get "$1" -qq -y "$2" >"$folder/apt" 2>&1 || fail "apt-get $1 $2 fails:" "$(cat "$folder/apt")"
  }
  # Purging the tools keeps the service, and removes the panel's server, which needs them.
  remove purge eightball
  [ ! -e "$chroot_folder/usr/libexec/eightball" ] || fail "Purging the tools left the panel's server."
  [ -e "$chroot_folder/lib/systemd/system/eightball.service" ] || fail "Purging the tools removed the service."
  remove remove eightballd
  [ -e "$settings" ] || fail "Removing the service removed its settings."
  remove purge eightballd
  if "${inside[@]}" getent passwd eightball; then fail "Its user is still there."; fi
  files "$chroot_folder" | diff "$folder/before" - || fail "The purge left or removed files."
  echo "Installed, it answers; purged, it leaves nothing."
  step_done
}
