# Shared by the scripts; sourced, never run. Safe to source twice. A script works in the checkout, and
# takes paths from where its user stands. Its first comment is its help, which `--help` shows.
# shellcheck shell=bash

set -euo pipefail
# The second time it stands in the checkout already.
! declare -F step >/dev/null || return 0
user_folder=$PWD
script=$(realpath -- "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Where Swift builds; another folder keeps two builds apart.
build_folder="${EIGHTBALL_BUILD:-.build}"
# Where the program is built that is installed.
standalone_folder="$build_folder-standalone"
# Where the package of examples builds.
examples_folder="$build_folder-examples"
# Where scripts/check-client builds another package that uses this one.
client_folder="$build_folder-client"
# Python's own folder for the peers.
peers_folder=.build-venv
# Where scripts/build-gpiod2 builds libgpiod 2.
gpiod2_folder=.build-gpiod2

step_number=0
step_count=0
step_started=0

# steps N: how many steps this script takes.
steps() { step_count=$1; }

# step TEXT: says which step begins.
step() {
  step_number=$((step_number + 1))
  step_started=$SECONDS
  printf '[%d/%d] %s\n' "$step_number" "$step_count" "$1"
}

# step_done: says how long the step took.
step_done() { printf '[%d/%d] done in %d s\n' "$step_number" "$step_count" $((SECONDS - step_started)); }

# fail TEXT...: a plain message, a line an argument, and the end.
fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# show_help: what the script says of itself.
show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"; }

# refuse_usage TEXT: says what is wrong with the arguments and what is right, and ends.
refuse_usage() { fail "$1" "" "$(show_help)"; }

# takes COUNT ARGUMENT...: the script has so many arguments at most, and no options.
takes() {
  local count=$1 argument
  shift
  for argument in "$@"; do
    if [[ "$argument" = -* ]] || [ "$count" = 0 ]; then refuse_usage "$argument is not known."; fi
    count=$((count - 1))
  done
}

# from_user PATH: a path that the user gave, as it is from anywhere.
from_user() {
  case "$1" in
  /*) echo "$1" ;;
  *) echo "$user_folder/$1" ;;
  esac
}

# program_version: the version, which the program itself says.
program_version() {
  sed -n 's/.*static var version: StaticString { "\(.*\)" }$/\1/p' Sources/EightBall/BallProfile.swift
}

# source_date: when the sources were last changed, in seconds of 1970, so that what is made of them
# twice is the same.
source_date() {
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
  else
    git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md
  fi
}

# unit_folder PREFIX: where systemd and udev look for what is installed under PREFIX.
unit_folder() {
  case "$1" in
  /usr | /usr/local) echo "$1/lib" ;;
  *) echo /etc ;;
  esac
}

# need_swift: Swift 6.3 or newer must be on the path; no package of the system brings it.
need_swift() {
  if ! command -v swift >/dev/null; then
    fail "Swift is not installed, or not on the PATH." \
      "Get Swift 6.3 or newer from https://www.swift.org/install/linux/ and run this again."
  fi
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  if [ -z "$version" ]; then
    fail "swift is there but does not start. Its own message is:" "$(swift --version 2>&1 || true)"
  fi
  if [ "$(printf '6.3\n%s\n' "$version" | sort -V | head -n 1)" != 6.3 ]; then
    fail "This is Swift $version; 6.3 or newer is needed." \
      "Get it from https://www.swift.org/install/linux/ and run this again."
  fi
}

# swift_tool NAME: the path of a tool of the Swift toolchain (ld.lld, llvm-objdump).
swift_tool() {
  local resources
  resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  local tool="$resources/../../bin/$1"
  [ -x "$tool" ] || tool=$(command -v "$1") || fail "$1 is missing from the Swift toolchain."
  printf '%s\n' "$tool"
}

# core_as_one_module FOLDER [MODULE...]: copies the sources of the core, and of more modules of ours,
# there, without the lines by which they import each other, so that they compile as one: generic code
# is specialised, and Embedded Swift needs deinitialisers in sight. Line numbers stay.
core_as_one_module() {
  local folder=$1 file
  local modules=(BluetoothHost Boards EightBall BallRunner "${@:2}")
  mkdir -p "$folder"
  while read -r file; do
    without_imports_of "${modules[@]}" <"$file" >"$folder/${file//\//-}"
  done < <(find "${modules[@]/#/Sources/}" -name '*.swift')
}

# without_imports_of MODULE...: leaves out the lines that import these modules.
without_imports_of() {
  local IFS='|'
  sed -E "s/^((public|package|internal) )?import ($*)$//"
}

# without_public: a program of one module has nothing public. The compiler then leaves out what nothing
# uses, constants among it: 3 % of the code.
without_public() { sed -E 's/^( *)public (internal\(set\) )?/\1/'; }

# modules_of MODULE: the modules in Sources of which a program of that name is made, itself first.
modules_of() {
  local found=("$1") index=0 name
  while [ "$index" -lt ${#found[@]} ]; do
    while read -r name; do
      [ ! -d "Sources/$name" ] || [[ " ${found[*]} " = *" $name "* ]] || found+=("$name")
    done < <(grep -rhoE '^ *((public|package|internal) )?import [A-Za-z0-9]+' --include='*.swift' \
      "Sources/${found[index]}" | sed 's/.* //' | sort -u)
    index=$((index + 1))
  done
  printf '%s\n' "${found[@]}"
}

# core_features: the compiler's flags for the experimental features that Package.swift names.
core_features() {
  sed -n 's/.*enableExperimentalFeature("\([A-Za-z]*\)").*/-enable-experimental-feature \1/p' \
    Package.swift | sort -u
}

# as_root COMMAND...: runs it as root, with sudo only if need be.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "This needs root, and there is no sudo: run as root:" "  $*"
  fi
}

# root_for FOLDER COMMAND...: runs it as root, unless the folder is one that this user may write to
# anyway. "" is the system itself.
root_for() {
  local folder=$1
  shift
  # What is not there yet is made in what is.
  while [ -n "$folder" ] && [ ! -e "$folder" ]; do folder=${folder%/*}; done
  if [ -n "$folder" ] && [ -w "$folder" ]; then "$@"; else as_root "$@"; fi
}

# need_packages NAME...: installs the Debian packages that are missing, and says which.
need_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  if [ ${#missing[@]} = 0 ]; then
    echo "All packages are there."
    return
  fi
  command -v apt-get >/dev/null ||
    fail "These packages are missing, and there is no apt-get to install them: ${missing[*]}"
  echo "Installing: ${missing[*]}"
  [ "$(id -u)" = 0 ] || echo "sudo may ask for your password, to install these packages."
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
}

# system_gpiod: the major version of the system's libgpiod.
system_gpiod() {
  [ -e /usr/include/gpiod.h ] || fail "libgpiod-dev is missing: run scripts/setup."
  # Version 1 alone has this; the header's name is the same.
  if grep -q GPIOD_LINE_BULK_MAX_LINES /usr/include/gpiod.h; then echo 1; else echo 2; fi
}

# answers FOLDER TOOL COMMAND...: whether a ball that the command runs answers when the tool asks it, over an
# air that the tool hosts in the folder. Prints the answer.
answers() {
  local folder=$1 tool=$2 wait air="$1/air"
  shift 2
  "$tool" radio --listen "unix:$air" >"$folder/radio" 2>&1 &
  local radio=$!
  for wait in $(seq 200); do
    if [ -S "$air" ]; then break; fi
    [ "$wait" != 200 ] || fail "There is no air. It says:" "$(cat "$folder/radio")"
    sleep 0.1
  done
  "$@" --radio "unix:$air" >"$folder/ball" 2>&1 &
  local ball=$!
  for wait in $(seq 200); do
    if grep -q '^Advertising' "$folder/ball"; then break; fi
    [ "$wait" != 200 ] || fail "The ball does not advertise. It says:" "$(cat "$folder/ball")"
    sleep 0.1
  done
  "$tool" ask --radio "unix:$air" "Is it installed?" 2>/dev/null
  kill "$ball"
  wait "$ball" || fail "The ball ended with status $?."
  kill "$radio"
  wait "$radio" || fail "The air ended with status $?."
}

# need_peers: the Python programs of Tests/Peers, in a folder of their own.
need_peers() {
  local wanted=Tests/Peers/requirements.txt
  if cmp -s "$wanted" "$peers_folder/installed.txt"; then return; fi
  command -v python3 >/dev/null || fail "python3 is missing: run scripts/setup test."
  echo "Installing the peers' Python packages in $peers_folder"
  python3 -m venv --clear "$peers_folder"
  "$peers_folder/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$peers_folder/installed.txt"
}

case "${1:-}" in
-h | --help)
  show_help
  exit
  ;;
esac
