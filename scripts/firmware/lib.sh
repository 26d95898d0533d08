# Shared by the scripts that build the ball for microcontrollers; sourced after scripts/lib.sh.
# shellcheck shell=bash

# Where the images are built, a folder each.
firmware_folder=.build-firmware
# The ball for each of these processors, on the one board that QEMU has.
firmware_names=(lm3s6965evb cortex-m0)
# The images: these, and one with pairing.
firmware_images=("${firmware_names[@]}" lm3s6965evb-secure)

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
    -D WORDS_FOR_PEOPLE_ONLY -I Sources/CCortexM/include "${flags[@]}" -module-name Ball -c "$@" -o "$object"
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

# build_firmware NAME: builds the ball into .build-firmware/NAME/eightball.elf and eightball.bin.
build_firmware() {
  local flags=()
  [[ $1 != *-secure ]] || flags=(-D SECURITY -D JUST_WORKS_ONLY -D WITHOUT_PRIVACY -- -Wl,--defsym=stack_size=24K)
  firmware_sources "$firmware_folder/$1/sources" Sources/CortexM
  build_image "$1" eightball "${flags[@]}"
}

# build_firmware_benchmark NAME: builds what scripts/benchmark-firmware runs: the same, with another start.
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
    -static -T Sources/CCortexM/lm3s6965.ld -Wl,--gc-sections,--fatal-warnings,--no-enum-size-warning,-z,noexecstack \
    -Wl,-Map,"$image.map" "$@" -o "$image.elf" "$image.o" -lgcc
  arm-none-eabi-objcopy -O binary "$image.elf" "$image.bin"
}
