# Sourced by scripts/check, never run.
# shellcheck shell=bash

# Every name by which Swift or C reaches the heap, a reference count or a lock.
firmware_heap='(malloc|calloc|realloc|free|sbrk|memalign|aligned_alloc|swift_(slowAlloc|alloc|dealloc|init|retain|release|once).*)$'

# Builds the ball for a Cortex-M3 and in the instructions of a Cortex-M0, compiles the port that Porting.md shows, and
# asks the ball in QEMU: its answers, buttons, lights and sleep, its program memory, RAM and instructions.
check_firmware() {
  steps $((3 + ${#firmware_names[@]}))
  step "What is needed"
  need_swift
  need_peers
  for tool in qemu-system-arm arm-none-eabi-gcc; do
    command -v "$tool" >/dev/null || fail "$tool is missing: run scripts/setup firmware."
  done
  step_done

  step "The ball for microcontrollers"
  scripts/build firmware
  for name in "${firmware_images[@]}"; do
    if arm-none-eabi-nm "$firmware_folder/$name/eightball.elf" | awk '{ print $NF }' | grep -E "^_?$firmware_heap"; then
      fail "The image for $name reaches the heap, by the names above."
    fi
  done
  step_done

  # The page's only block of Swift.
  folder=$(mktemp -d -t 8ball-porting-XXXXXX)
  trap 'rm -rf "$folder"' EXIT
  firmware_sources "$folder/sources"
  page=Sources/BallRunner/BallRunner.docc/Porting.md
  sed -n '/^```swift$/,/^```$/p' "$page" | sed '/^```/d' | as_one_module >"$folder/sources/Page.swift"
  grep -q 'struct SmallPort: Port' "$folder/sources/Page.swift" || fail "Porting.md shows no port."
  for name in "${firmware_names[@]}"; do
    step "The port of Porting.md for $name"
    # It does not run, so nothing is optimised.
    # shellcheck disable=SC2046 # one word a flag
    compile_bare_metal "$folder/$name.o" -Onone $(firmware_target "$name") \
      -enable-experimental-feature Extern -- "$folder"/sources/*.swift
    # Not grep -q, which ends at its match: nm may still write.
    arm-none-eabi-nm "$folder/$name.o" | grep ' T ball_main' >/dev/null || fail "The port has no ball_main."
    step_done
  done

  step "The ball in QEMU"
  [ -n "${EIGHTBALL:-}" ] || [ -x "$build_folder/release/eightball" ] || scripts/build release
  export EIGHTBALL="${EIGHTBALL:-$PWD/$build_folder/release/eightball}"
  # In two processes, each with its own files: only one builds the benchmark's images.
  PYTHONDONTWRITEBYTECODE=1 "$peers_folder/bin/python" -m pytest -c Tests/Peers/pytest.ini -rP \
    -n 2 --dist loadfile Tests/Firmware </dev/null
  step_done
}
