# The compiler flags of each Linux target of eightballd; sourced after lib.sh, never run.
# shellcheck shell=bash

# Where the programs are built, and the C library for each target.
eightballd_folder=.build-eightballd
musl_folder=.build-musl

# The processors: a PC; a Pi 3 to 5; a Pi 2; the ARM1176 of a Pi Zero or Pi 1.
targets=(x86_64 aarch64 armv7 armv6)

# this_target: the target of this machine's processor.
this_target() {
  case "$(uname -m)" in
  x86_64) echo x86_64 ;;
  aarch64 | arm64) echo aarch64 ;;
  armv7l | armv8l) echo armv7 ;;
  armv6l) echo armv6 ;;
  *) fail "There is no target for this machine's processor, $(uname -m). There are: ${targets[*]}" ;;
  esac
}

# use_target NAME: sets swift_flags, c_flags, library_flags (those of C libraries), musl_triple and
# support_library for one of the targets.
#
# Embedded Swift's standard library for 32-bit ARM is for machines without an operating system; its code
# follows the same calling convention as musl's with hard float. An enum of C must be an int
# for both.
use_target() {
  local eabi=(-mfloat-abi=hard -fno-short-enums)
  support_library=
  case "$1" in
  x86_64)
    swift_flags=(-target x86_64-unknown-none-elf)
    musl_triple=x86_64-linux-musl
    c_flags=()
    ;;
  aarch64)
    swift_flags=(-target aarch64-none-none-elf)
    musl_triple=aarch64-linux-musl
    # Outlined atomics need a library that chooses instructions at run time.
    c_flags=(-mno-outline-atomics)
    ;;
  armv7)
    swift_flags=(-target armv7-none-none-eabi)
    musl_triple=armv7-linux-musleabihf
    c_flags=(-march=armv7-a -mfpu=vfpv3-d16 "${eabi[@]}")
    ;;
  armv6)
    swift_flags=(-target armv6-none-none-eabi)
    musl_triple=armv6-linux-musleabihf
    c_flags=(-mcpu=arm1176jzf-s -mfpu=vfp "${eabi[@]}")
    ;;
  *) refuse_usage "$1 is not a target. There are: ${targets[*]}" ;;
  esac
  c_flags=(
    --target="$musl_triple" "${c_flags[@]}" -Oz -mllvm -enable-machine-outliner=always -ffunction-sections -fdata-sections
    -fno-pic -fno-unwind-tables -fno-asynchronous-unwind-tables
  )
  # musl is not written for the Thumb instructions of ARMv6.
  library_flags=("${c_flags[@]}")
  case "$1" in
  arm*)
    c_flags+=(-mthumb)
    swift_flags+=(-Xcc -mfloat-abi=hard -Xcc -fno-short-enums)
    # In Thumb instructions the program takes a quarter less. The compiler has no target of that name
    # with a standard library, so the code generator is asked.
    swift_flags+=(-Xcc -Xclang -Xcc -target-feature -Xcc -Xclang -Xcc +thumb-mode)
    # 32-bit ARM divides in software. Debian's armhf libraries are ARMv7 code, which an ARM1176 does
    # not run; this one is ARMv5TE with hard float, which every target here runs.
    support_library=$(arm-none-eabi-gcc -march=armv5te+fp -mfloat-abi=hard -print-libgcc-file-name) ||
      fail "gcc-arm-none-eabi is missing: run scripts/setup firmware."
    ;;
  esac
}

# forbid_heap OBJECT: renames the heap functions that an object calls to names that nothing defines, so that a
# program with a reachable call does not link. The C code may allocate: libgpiod does when it looks for a chip.
forbid_heap() {
  local name options=()
  for name in posix_memalign aligned_alloc malloc calloc realloc free swift_coroFrameAlloc; do
    options+=(--redefine-sym "$name=no_heap_for_swift.$name")
  done
  "$(swift_tool llvm-objcopy)" "${options[@]}" "$1"
}

# debian_source NAME FOLDER: unpacks a source package of the system's own release into FOLDER. apt gets
# copies of the system's lists of sources, changed to those of source packages, and folders of its own, so
# that the system does not change.
debian_source() {
  local work list
  command -v dpkg-source >/dev/null || fail "dpkg-source is missing: run scripts/setup firmware."
  work=$(mktemp -d -t 8ball-source-XXXXXX)
  mkdir -p "$work"/{parts,lists/partial,cache/archives/partial}
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [ -f "$list" ] || continue
    sed -e 's/^deb\([[:space:]]\)/deb-src\1/' -e 's/^Types:.*/Types: deb-src/' \
      "$list" >"$work/parts/${list##*/}"
  done
  local options=(
    -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts"
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)"
  )
  # Another list may have no sources; the next command finds out about this package's.
  { apt-get "${options[@]}" update || true; } >"$work/log" 2>&1
  (cd "$work" && apt-get "${options[@]}" source "$1") >>"$work/log" 2>&1 ||
    fail "The source package $1 cannot be fetched. apt-get says:" "$(tail -n 5 "$work/log")"
  rm -rf "$2"
  mkdir -p "$(dirname "$2")"
  mv "$work/$1"-*/ "$2"
  rm -rf "$work"
}
