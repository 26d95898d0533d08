# Shared by the scripts; sourced, never run. Safe to source twice. A script works in the checkout, and
# resolves paths from its user's folder. `--help` prints its first comment.
# shellcheck shell=bash

set -euo pipefail
# The second time the script is in the checkout already.
! declare -F step >/dev/null || return 0
user_folder=$PWD
script=$(realpath -- "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Where Swift builds; another folder keeps two builds apart.
build_folder="${EIGHTBALL_BUILD:-.build}"
# How SwiftPM builds without optimisation. In CI nothing is built again after a change of one file, so each module is
# compiled as a whole: a third less processor time. There no debugger runs, either: without debug information it takes
# an eighth less again, and a trap's backtrace has names of functions without lines.
debug_options=()
[ -z "${CI:-}" ] || debug_options=(
  -debug-info-format none
  -Xswiftc -whole-module-optimization -Xswiftc -no-emit-module-separately-wmo
  # Several threads leave an object for each file, as SwiftPM expects it.
  -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode
)
# Where the programs of scripts/benchmark are built, for speed: the programs that are installed are built for size.
benchmark_folder="$build_folder-benchmark"
# Where the server of the panel builds.
panel_folder="$build_folder-panel"
# Python's own folder for the peers.
peers_folder=.build-venv
# Where scripts/build gpiod2 builds libgpiod 2.
gpiod2_folder=.build-gpiod2

step_number=0
step_count=0
step_started=0
step_cpu_started=0
step_times=()

# cpu_seconds: the processor time of the programs that this shell has run, in seconds; see proc(5).
cpu_seconds() {
  local fields
  read -ra fields <"/proc/$$/stat"
  echo $(((fields[15] + fields[16]) / $(getconf CLK_TCK)))
}

# step_time WALL CPU TEXT: a line of the table of times.
step_time() { printf '%6d s %6d s  %s' "$@"; }

# steps N: how many steps this script takes.
steps() { step_count=$1; }

# step TEXT: says which step begins.
step() {
  step_number=$((step_number + 1))
  step_started=$SECONDS
  step_cpu_started=$(cpu_seconds)
  step_name=$1
  printf '[%d/%d] %s\n' "$step_number" "$step_count" "$1"
}

# step_done: says how long the step took.
step_done() {
  local took=$((SECONDS - step_started))
  step_times+=("$(step_time "$took" "$(($(cpu_seconds) - step_cpu_started))" "$step_name")")
  printf '[%d/%d] done in %d s\n' "$step_number" "$step_count" "$took"
}

# show_times: a table of the steps' times, by the clock and of the processors, and their sum.
show_times() {
  printf '%s\n' '    time   processors' "${step_times[@]}" "$(step_time "$SECONDS" "$(cpu_seconds)" "in all")"
}

# side_by_side TITLE COMMAND... -- ITEM...: runs the command with each item as its last argument, two at once where
# there are two processors, or `at_once`. Each is one step, whose output comes when it ends. Fails at the end if one
# failed. If `step_times_file` names a file, each adds its time there.
side_by_side() {
  local title=$1 command=() number=$step_number item
  shift
  while [ "$1" != -- ]; do
    command+=("$1")
    shift
  done
  shift
  step_number=$((step_number + $#))
  # shellcheck disable=SC2016 # the inner shell expands them
  for item in "$@"; do
    number=$((number + 1))
    printf '%s\0' "[$number/$step_count]" "$title$item" "$item"
  done | step_times_file=${step_times_file:-/dev/null} xargs -0 -n 3 -P "${at_once:-$(($(nproc) > 1 ? 2 : 1))}" bash -c '
    number=${*: -3:1} name=${*: -2:1} item=${*: -1} status=0
    output=$(unset at_once step_times_file && "${@:1:$#-3}" "$item" 2>&1) || status=1
    exec 9<"$0" && flock 9
    printf "%s\n" "$number $name" ${output:+"$output"}
    source "$0"
    echo "$(step_time "$SECONDS" "$(cpu_seconds)" "$name")" >>"$step_times_file"
    if [ "$status" = 0 ]; then echo "$number done in $SECONDS s"; else echo "FAILED: $name"; fi
    exit "$status"' scripts/lib.sh "${command[@]}" || fail "Not all of these ended well: see FAILED above."
}

# fail TEXT...: prints a message, a line for each argument, and ends the script.
fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# show_help: prints the script's first comment.
show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"; }

# refuse_usage TEXT: says what is wrong with the arguments and what is right, and ends.
refuse_usage() { fail "$1" "" "$(show_help)"; }

# takes COUNT ARGUMENT...: refuses options and more than COUNT arguments.
takes() {
  local count=$1 argument
  shift
  for argument in "$@"; do
    if [[ "$argument" = -* ]] || [ "$count" = 0 ]; then refuse_usage "$argument is not known."; fi
    count=$((count - 1))
  done
}

# from_user PATH: a path that the user gave, as an absolute path.
from_user() {
  case "$1" in
  /*) echo "$1" ;;
  *) echo "$user_folder/$1" ;;
  esac
}

# program_version: the version in the program's source.
program_version() {
  sed -n 's/.*static var version: StaticString { "\(.*\)" }$/\1/p' Sources/EightBall/EightBallProfile.swift
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

# core_features: the compiler's flags for the package, and for the experimental features that Package.swift names.
core_features() {
  echo -package-name eightball
  sed -n 's/.*enableExperimentalFeature("\([A-Za-z]*\)").*/-enable-experimental-feature \1/p' \
    Package.swift | sort -u
}

# Several modules are compiled as one where a program is Embedded Swift, or should be fast. The compiler of Swift 6.3
# refuses a client that ends the life of a value with a deinitialiser from another module, “deinit of non-copyable type not
# visible in the current module”: https://github.com/swiftlang/swift/pull/87303 corrects this.

# core_as_one_module FOLDER [MODULE...]: copies the sources of the core, and of the other modules, there, without the
# lines that import each other. Line numbers stay.
core_as_one_module() {
  local folder=$1 file
  local modules=(BluetoothHost EightBall BallRunner "${@:2}")
  mkdir -p "$folder"
  while read -r file; do
    without_imports_of "${modules[@]}" <"$file" >"$folder/${file//\//-}"
  done < <(find "${modules[@]/#/Sources/}" -name '*.swift')
}

# without_imports_of MODULE...: leaves out the lines that import these modules.
without_imports_of() {
  local IFS='|'
  sed -E "s/^ *((public|package|internal|@_exported) )?import ($*)$//"
}

# without_public [FILE...]: removes `public` and `package`, which a program of one module does not need, from these
# copies, or from its input. The compiler then removes unused code and constants: 3 % of eightballd, a third of the
# fuzzers' time to build.
without_public() {
  sed -E ${1:+-i} 's/^( *(@[A-Za-z_]+(\([^)]*\))? )*)(public|package) ((internal|package)\(set\) )?/\1/' "$@"
}

# modules_of MODULE: the modules in Sources that a program of that name consists of, itself first.
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

# swift_in PACKAGE COMMAND [OPTION...]: runs a command of SwiftPM for another package that uses this one, in the same
# build folder, so that nothing is compiled a second time. SwiftPM keeps one plan per folder, and would follow the plan of
# another package.
swift_in() {
  local status=0
  rm -f "$build_folder/debug.yaml"
  swift "$2" --package-path "$1" --scratch-path "$build_folder" "${debug_options[@]}" "${@:3}" </dev/null || status=$?
  rm -f "$build_folder/debug.yaml"
  return "$status"
}

# as_root COMMAND...: runs it as root, with sudo if necessary.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "This needs root, and there is no sudo: run as root:" "  $*"
  fi
}

# answers FOLDER TOOL COMMAND...: runs a ball by the command, asks it with the tool, over an air that
# the tool hosts in the folder, and prints the answer. Fails if there is none.
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
  # The file exists before the program in the background opens it.
  : >"$folder/ball"
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

# figure_fault LABEL MEASURED: what is wrong with the first number after LABEL in a line of docs/figures.md, which may
# differ from what was measured by 5 %. Prints nothing if it is right.
figure_fault() {
  local stated
  stated=$(awk -v label="$1" '
    at = index($0, label) {
      rest = substr($0, at + length(label))
      if (match(rest, /[0-9][0-9,]*/)) { rest = substr(rest, RSTART, RLENGTH); gsub(",", "", rest); print rest; exit }
    }' docs/figures.md)
  if [ -z "$stated" ]; then
    echo "docs/figures.md has no figure after “$1”; $2 were measured."
  elif ((100 * (stated - $2) > 5 * $2 || 100 * ($2 - stated) > 5 * $2)); then
    echo "docs/figures.md has $stated after “$1”; $2 were measured. Correct it."
  fi
}

# check_figure LABEL MEASURED: fails if the figure of docs/figures.md is wrong.
check_figure() {
  local fault
  fault=$(figure_fault "$1" "$2")
  [ -z "$fault" ] || fail "$fault"
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
