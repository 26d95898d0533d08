# The compiler flags of each Linux target of eightballd, and its C libraries; the same for microcontrollers. Sourced
# after lib.sh, never run.
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

# The heap of C has names of its own, so that a program with a reachable call of Swift's to the usual ones does not
# link. The C code may allocate: libgpiod does when it looks for a chip.
heap_functions=(posix_memalign aligned_alloc malloc calloc realloc free)
heap_flags=()
for name in "${heap_functions[@]}"; do heap_flags+=("-D$name=c_$name"); done

# with_heap_of_c LIBRARY NEW: a copy of a library of C that uses these names.
with_heap_of_c() {
  local name options=()
  for name in "${heap_functions[@]}"; do options+=(--redefine-sym "$name=c_$name"); done
  "$(swift_tool llvm-objcopy)" "${options[@]}" "$1" "$2"
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

# The files of musl that eightballd is linked with, the last line for 32-bit ARM alone: a twentieth of all. If the linker
# finds a function undefined, its file is missing here.
musl_files=(
  _Exit __environ __errno_location __init_tls __libc_start_main __set_thread_area __syscall_cp _exit accept
  accept4 bcmp bind clock_gettime close closedir connect default_attr defsysinfo epoll exit fchmod fchown flock
  fstat fstatat fsync getenv geteuid getpid getrandom getsockopt htons inet_pton inotify ioctl isatty libc link
  listen lstat madvise memcmp memcpy memmove memrchr memset mkdir mmap munmap open opendir poll procfdname
  pthread_sigmask pwrite read readdir readlink recvmsg rename send sendmsg sendto setsockopt signalfd
  sigprocmask snprintf socket socketpair stat stpcpy stpncpy strchr strchrnul strcmp strcpy strdup strlen
  strncmp strncpy strrchr strverscmp syscall syscall_ret unlink vdso write
  __aeabi_memcpy __aeabi_memset __aeabi_read_tp atomics
)

# build_musl TARGET: what eightballd needs of the C library, from Debian's source package: leaves .build-musl/TARGET/include
# and lib. Debian's own armhf builds are ARMv7 code, which an ARM1176 cannot run. Can run for two targets at once.
build_musl() {
  local folder sources compiler objects recipe log
  use_target "$1"
  folder="$PWD/$musl_folder/$1"
  sources="$PWD/$musl_folder/source"
  compiler=$(swift_tool clang)
  # As make writes patterns.
  objects=$(printf '%%/%s.o ' "${musl_files[@]}")
  recipe=$(cat <(declare -f build_musl) <(echo "$objects" "${library_flags[@]}") <("$compiler" --version) | sha256sum)
  if [ "$(cat "$folder/recipe" 2>/dev/null)" = "$recipe" ]; then
    echo "musl is there: $1, version $(cat "$sources/VERSION")"
    return
  fi

  command -v make >/dev/null || fail "make is missing: run scripts/setup firmware."
  mkdir -p "$musl_folder"
  # All targets share the sources: one fetches them.
  (
    flock 9
    [ -e "$sources/configure" ] || debian_source musl "$sources"
  ) 9>"$musl_folder/lock"
  rm -rf "$folder"
  mkdir -p "$folder/build"
  log="$folder/build/log"
  (
    cd "$folder/build" &&
      "$sources/configure" --prefix="$folder" --target="$musl_triple" --disable-shared \
        --disable-optimize CC="$compiler ${library_flags[*]}" AR="$(swift_tool llvm-ar)" \
        RANLIB="$(swift_tool llvm-ranlib)" LIBCC="$support_library" &&
      make -j"$(nproc)" AOBJS="\$(filter $objects,\$(LIBC_OBJS))" \
        lib/libc.a lib/crt1.o lib/crti.o lib/crtn.o install-headers
  ) >"$log" 2>&1 || fail "musl cannot be built. The end of its log, $log:" "$(tail -n 10 "$log")"
  mkdir "$folder/lib"
  mv "$folder/build/lib/libc.a" "$folder"/build/lib/crt?.o "$folder/lib"
  # On ARM they could otherwise follow Thumb code, at an address that no ARM instruction can have.
  "$(swift_tool llvm-objcopy)" --set-section-alignment .init=4 --set-section-alignment .fini=4 \
    "$folder/lib/crti.o"
  rm -r "$folder/build"
  echo "$recipe" >"$folder/recipe"
  echo "musl is built: $1, version $(cat "$sources/VERSION")"
}

# build_gpiod2 FOLDER [ARCHIVE]: libgpiod 2 in FOLDER, from the sources of its Python package; ARCHIVE is a copy of them.
build_gpiod2() {
  local folder=$1 archive=${2:-} wanted=gpiod==2.5.0 recipe compiler
  recipe=$(cat <(declare -f build_gpiod2) ${archive:+"$archive"} | sha256sum)
  if [ "$(cat "$folder/recipe" 2>/dev/null)" = "$recipe" ]; then
    echo "libgpiod 2 is there: $wanted, $folder"
    return
  fi

  compiler=$(command -v cc || command -v clang) ||
    fail "There is no C compiler: run scripts/setup test."
  rm -rf "${folder:?}"/{recipe,include,lib}
  mkdir -p "$folder"
  if [ -z "$archive" ]; then
    [ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps \
      --no-binary :all: --dest "$folder" "$wanted"
    archive=$(ls "$folder"/gpiod-*.tar.gz)
  fi
  tar -xzf "$archive" -C "$folder" --strip-components=1
  # Their code does not follow this project's warnings.
  "$compiler" -O1 -w -D_GNU_SOURCE -DGPIOD_API_VERSION_STR='"2"' -shared -fPIC \
    -I"$folder/include" -I"$folder/lib" "$folder"/lib/*.c -o "$folder/libgpiod.so"
  echo "$recipe" >"$folder/recipe"
  echo "libgpiod 2 is built: $wanted, $folder"
}

# ---- Microcontrollers ----

# Where the images are built, a folder each.
firmware_folder=.build-firmware
# The ball for each of these processors, on the one board that QEMU has.
firmware_names=(lm3s6965evb cortex-m0)
# The images: these, one with pairing, one with a display, and one with an advertising set.
firmware_images=("${firmware_names[@]}" lm3s6965evb-secure lm3s6965evb-display lm3s6965evb-sets)

# firmware_target NAME: the compiler's flags for its processor.
firmware_target() {
  case "$1" in
  lm3s6965evb*)
    echo -target armv7em-none-none-eabi -target-cpu cortex-m3 -Xcc -mcpu=cortex-m3 -Xcc -mfloat-abi=soft
    ;;
  cortex-m0) echo -target armv6m-none-none-eabi ;;
  esac
}

# firmware_processor NAME: GCC's name for it.
firmware_processor() {
  case "$1" in
  lm3s6965evb*) echo cortex-m3 ;;
  cortex-m0) echo cortex-m0 ;;
  esac
}

# compile_bare_metal OBJECT FLAG... -- FILE...: compiles Swift files as one module of Embedded Swift, in
# which nothing may allocate.
compile_bare_metal() {
  local object=$1 flags=()
  shift
  while [ "$1" != -- ]; do
    flags+=("$1")
    shift
  done
  shift
  # shellcheck disable=SC2046 # one word a flag
  swiftc $(core_features) \
    -wmo -parse-as-library -swift-version 6 -strict-memory-safety -warnings-as-errors \
    -enable-experimental-feature Embedded -Xfrontend -no-allocations \
    -Xfrontend -function-sections -Osize -Xfrontend -disable-stack-protector \
    -Xfrontend -mergeable-traps -Xfrontend -sil-unroll-threshold -Xfrontend 0 \
    -enforce-exclusivity=unchecked -Xcc -fno-pic \
    -D WORDS_FOR_PEOPLE_ONLY -I Sources/CortexM/include "${flags[@]}" -module-name Ball -c "$@" -o "$object"
}

# as_one_module: the source as it is in the one module of the image.
as_one_module() { without_imports_of BluetoothHost EightBall BallRunner | without_public; }

# firmware_sources FOLDER [PATH...]: copies the sources of the ball, and more files or folders of them, there,
# to be compiled as one module.
firmware_sources() {
  local file folder=$1
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  while read -r file; do
    as_one_module <"$file" >"$folder/${file//\//-}"
  done < <(find Sources/{BluetoothHost,EightBall,BallRunner} "$@" -name '*.swift')
}

# build_firmware NAME: builds the ball into .build-firmware/NAME/eightball.elf and eightball.bin, unless it is there.
build_firmware() {
  local flags=() folder="$firmware_folder/$1" recipe
  recipe=$({
    swiftc --version 2>/dev/null
    arm-none-eabi-gcc --version
    find Package.swift Sources/{BluetoothHost,EightBall,BallRunner,CortexM} scripts/{lib.sh,targets.sh} \
      -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
  } | sha256sum)
  if [ -f "$folder/eightball.bin" ] && [ "$(cat "$folder/recipe" 2>/dev/null)" = "$recipe" ]; then return; fi
  rm -f "$folder/recipe"
  [[ $1 != *-display ]] || flags=(-D DISPLAY)
  [[ $1 != *-sets ]] || flags=(-D SETS)
  [[ $1 != *-secure ]] || flags=(-D SECURITY -D JUST_WORKS_ONLY -D WITHOUT_PRIVACY -- -Wl,--defsym=stack_size=24K)
  firmware_sources "$folder/sources" Sources/CortexM
  build_image "$1" eightball "${flags[@]}"
  echo "$recipe" >"$folder/recipe"
}

# build_firmware_benchmark NAME: builds what scripts/benchmark firmware runs: the same, with another start.
build_firmware_benchmark() {
  local sources="$firmware_folder/$1/sources"
  firmware_sources "$sources" Sources/CortexM Benchmarks/FirmwareBenchmark
  rm "$sources/Sources-CortexM-Start.swift"
  # It runs two balls in turn.
  build_image "$1" benchmark -I Benchmarks/FirmwareBenchmark/include -- -Wl,--defsym=stack_size=48K
}

# build_image NAME IMAGE [FLAG...] [-- LINKER-FLAG...]: compiles and links the sources of
# .build-firmware/NAME into IMAGE.elf and IMAGE.bin there.
build_image() {
  local folder="$firmware_folder/$1" image="$firmware_folder/$1/$2" processor flags=()
  processor=$(firmware_processor "$1")
  # shellcheck disable=SC2207 # one word a flag
  flags=($(firmware_target "$1"))
  shift 2
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    flags+=("$1")
    shift
  done
  [ $# = 0 ] || shift
  compile_bare_metal "$image.o" "${flags[@]}" -- "$folder"/sources/*.swift
  # There is no C library. The linker adds the compiler's own functions (division).
  arm-none-eabi-gcc -mthumb -mcpu="$processor" -nostdlib \
    -static -T Sources/CortexM/lm3s6965.ld -Wl,--gc-sections,--fatal-warnings,--no-enum-size-warning,-z,noexecstack \
    -Wl,-Map,"$image.map" "$@" -o "$image.elf" "$image.o" -lgcc
  arm-none-eabi-objcopy -O binary "$image.elf" "$image.bin"
}
