# Sourced by scripts/check, never run.
# shellcheck shell=bash

# ---- The core, as Embedded Swift ----

# The processors: a PC and a Pi 3 to 5; a Pi 2; a Pi Zero; a Cortex-M0.
embedded_targets=(
  x86_64-unknown-linux-gnu
  aarch64-none-none-elf
  armv7-none-none-eabi
  armv6-none-none-eabi
  armv6m-none-none-eabi
)
# shellcheck disable=SC2207 # one word a flag
embedded_flags=(
  $(core_features)
  -wmo -parse-as-library -swift-version 6 -strict-memory-safety -warnings-as-errors
  -enable-experimental-feature Embedded -Xfrontend -no-allocations
  -Xfrontend -function-sections -Osize
)
# The code of key agreement on a Cortex-M0, in bytes.
key_agreement_limit=6000
# Every name by which Swift or C reaches the heap, a reference count or a lock.
heap_names='^_?(posix_memalign|aligned_alloc|malloc|calloc|realloc|free|swift_(slowAlloc|slowDealloc|alloc|dealloc|init|retain|release|once|bridgeObject|nonatomic|unowned|weak|box|project).*)$'
# The names of what only a client has, of what only a server has, and of what only channels have.
client_part='9ATTClientV|10GATTClientV|9InitiatorV'
server_part='9ATTServerV|10GATTServerV|12ServerOutboxV|10AdvertiserV'
channel_part='19CreditBasedChannelsV|18CreditBasedChannelV|13ChannelBearerV'
# The token of a lazy global.
lazy_global='^\$e.*_Wz$'

# linked_bytes PATTERN: the size of the program's sections whose names match.
linked_bytes() {
  local hex sum=0
  for hex in $("$objdump" -h "$work/program" | awk -v name="$1" '$2 ~ name { print $3 }'); do
    sum=$((sum + 0x$hex))
  done
  echo "$sum"
}

# link ENTRY: links the core from a function. An Embedded object also defines functions that nothing calls, so
# the linker removes all that is unreachable from the entry. Writes the remaining names, one per line.
link() {
  "$linker" --gc-sections -e "$1" --warn-unresolved-symbols \
    -o "$work/program" "$work/core.o" 2>"$work/undefined"
  "$nm" "$work/program" | awk '{ print $NF }' | sort -u >"$work/symbols"
  # The linker takes any entry.
  grep -qxF "$1" "$work/symbols" || fail "There is no function $1 in Tests/Embedded."
}

# lacks PATTERN TEXT: fails if one of the remaining names belongs to the role that TEXT names.
lacks() {
  ! grep -E "$1" "$work/symbols" || fail "A host without $2 contains these symbols of it: see above."
}

# check_entry ENTRY HOSTS: links the core from this function, looks for the heap and for lazy globals, and adds a
# line about these hosts to the table.
check_entry() {
  local asked
  link "$1"
  if grep -E "$heap_names" "$work/symbols"; then
    fail "The core reaches the heap on $target, by the names above." \
      "Find them with: $nm -A on the object, or see who refers to them:" \
      "$(grep -E -A 3 'undefined symbol: (posix_memalign|malloc|free)' "$work/undefined" || true)"
  fi
  # A global that is not a constant has an initialiser, which runs at its first use, behind a lock.
  if grep -qE "$lazy_global" "$work/symbols"; then
    fail "The core has globals that are made at their first use on $target:" \
      "$(grep -E "$lazy_global" "$work/symbols" | swift demangle --compact | sed 's/.* for /  /' | sort)" \
      "Make each a computed property, or give it an initialiser that the compiler can evaluate."
  fi
  asked=$(sed -n 's/.*undefined symbol: //p' "$work/undefined" | sort -u | paste -sd ' ')
  echo "No allocation in $2. Undefined symbols: ${asked:-nothing}"
  printf '%-26s %-26s %8d %10d %10d\n' "$target" "$2" \
    "$(linked_bytes '^\\.text')" "$(linked_bytes '^\\.rodata')" "$(linked_bytes '^\\.(data|bss)')" >>"$work/table"
}

# check_core_on TARGET: compiles the core for this processor, and checks all its programs.
check_core_on() {
  local target=$1 work="$folder/$1"
  mkdir "$work"
  swiftc "${embedded_flags[@]}" -target "$target" -module-name EightBallCore \
    -c "$folder"/sources/*.swift -o "$work/core.o"

  check_entry eightball_boards_entry "a board, no host"
  check_entry eightball_parts_entry "motion and displays, no host"

  check_entry eightball_crypto_entry "pairing's arithmetic"
  # On a Cortex-M0 the compiler's library branches on a carry there, which may be one of a private key.
  ! grep -q __aeabi_lmul "$work/undefined" ||
    fail "The arithmetic of keys multiplies to 64 bits by the library on $target: UInt32.product(_:) must not."
  link eightball_key_agreement_entry
  [ "$target" != armv6m-none-none-eabi ] || [ "$(linked_bytes '^\\.text')" -le "$key_agreement_limit" ] ||
    fail "Key agreement has $(linked_bytes '^\\.text') bytes of code; $key_agreement_limit are allowed."

  check_entry eightball_security_entry "a Security Manager"

  check_entry eightball_ball_entry "balls (1 and 4 connections)"
  lacks "$client_part" "a client"
  lacks "$channel_part" "channels"

  link eightball_client_entry
  lacks "$server_part" "a server"
  check_entry eightball_roles_entry "clients (1, 4), both (4)"
  lacks "$channel_part" "channels"

  check_entry eightball_runner_entry "runners (1 and 4 connections)"
  check_entry eightball_channels_entry "channels (1 and 8)"
  check_entry eightball_bearers_entry "enhanced bearers (6)"

  echo "The core once linked, in bytes:"
  printf '%-26s %-26s %8s %10s %10s\n' target hosts code constants variables
  cat "$work/table"
}

# check_embedded [TARGET...]: compiles BluetoothHost, EightBall and BallRunner as Embedded Swift, with heap
# allocation rejected by the compiler and warnings as errors, for 64- and 32-bit, and searches the linked programs for
# the heap: the choice of a board, its parts, pairing and its arithmetic, hosts that only serve, clients and hosts in both
# roles, runners, and channels. A host with one role contains nothing of the other. Limits the code of key agreement.
check_embedded() {
  local entry targets=("$@")
  need_swift
  if [ $# != 1 ]; then
    [ $# != 0 ] || targets=("${embedded_targets[@]}")
    steps ${#targets[@]}
    side_by_side "The core: " scripts/check embedded -- "${targets[@]}"
    return
  fi
  [[ " ${embedded_targets[*]} " = *" $1 "* ]] ||
    refuse_usage "$1 is not known. There are: ${embedded_targets[*]}"
  linker=$(swift_tool ld.lld)
  objdump=$(swift_tool llvm-objdump)
  nm=$(command -v llvm-nm || swift_tool llvm-nm)
  folder=$(mktemp -d -t 8ball-embedded-XXXXXX)
  trap 'rm -rf "$folder"' EXIT

  core_as_one_module "$folder/sources"
  # Generic code is checked only where it is specialised: each entry specialises some. All are compiled with the
  # core at once, and linked one by one.
  for entry in Tests/Embedded/*Entry.swift; do
    sed 's/^import .*//' "$entry" >"$folder/sources/${entry##*/}"
  done
  check_core_on "$1"
}

# ---- eightballd ----

# The most bytes that a program may have.
most_bytes=300000
# What Swift's own code for the heap and for reference counts is called.
swift_heap='^_?swift_(slowAlloc|slowDealloc|alloc|dealloc|init|retain|release|once|bridgeObject|nonatomic|unowned|weak|box|project)'
# Of musl's functions these hold ARMv7 instructions; musl chooses them at run time.
chosen_at_run_time='<__a_(barrier|cas|gettp)_v7>'
# The processor that each target is for.
declare -A processors=([x86_64]=qemu64 [aarch64]=cortex-a53 [armv7]=cortex-a7 [armv6]=arm1176)

# section_bytes FILE PATTERN: the size of the program's sections whose names match. The stripped program has no table
# of sections, so this reads the one beside it.
section_bytes() {
  local hex sum=0
  for hex in $("$objdump" -h "$1.full" | awk -v name="$2" '$2 ~ name { print $3 }'); do
    sum=$((sum + 0x$hex))
  done
  echo "$sum"
}

# measure NAME FILE: the sizes of a stripped program.
measure() {
  local bytes
  bytes=$(stat -c %s "$2")
  printf '%-26s %8s %8s %8s %8s %8s\n' "in bytes" file text rodata data bss
  printf '%-26s %8d %8d %8d %8d %8d\n' "$1" "$bytes" \
    "$(section_bytes "$2" '^\\.(text|init|fini)$')" "$(section_bytes "$2" '^\\.(rodata|ARM|eh_frame|swift)')" \
    "$(section_bytes "$2" '^\\.(data|got|init_array|fini_array)')" "$(section_bytes "$2" '^\\.bss')"
  [ "$bytes" -le "$most_bytes" ] || fail "$1 has $bytes bytes; $most_bytes are allowed."
}

# on CPU TARGET: sets the command that runs a target's program on a processor, or in QEMU as one.
on() {
  command=("$eightballd_folder/$2/eightballd")
  case "$2" in
  "$(this_target)") ;;
  x86_64) command=(qemu-x86_64-static -cpu "$1" "${command[@]}") ;;
  aarch64) command=(qemu-aarch64-static -cpu "$1" "${command[@]}") ;;
  arm*) command=(qemu-arm-static -cpu "$1" "${command[@]}") ;;
  esac
}

# check_processor TARGET: builds the program for it, measures it, and asks it.
check_processor() {
  local target=$1 work="$folder/$1" program said answer
  mkdir "$work"
  scripts/build eightballd "$target"
  program="$eightballd_folder/$target/eightballd"
  if "$nm" "$program.full" | awk '{ print $NF }' | grep -E "$swift_heap"; then
    fail "Swift's code for the heap is in the program for $target, by the names above."
  fi
  on "${processors[$target]}" "$target"
  said=$("${command[@]}" --version) || fail "It does not run on ${processors[$target]}."
  [ "$said" = "$(program_version)" ] || fail "It says that it is of version $said."
  "${command[@]}" --help >"$work/help"
  grep -q -- --radio "$work/help" || fail "Its help does not name --radio:" "$(cat "$work/help")"
  answer=$(answers "$work" "$tool" "${command[@]}" --seed 8) || fail "${answer:-It does not answer.}"
  echo "Asked, it answers: $answer"
  measure "eightballd $target" "$program"
}

# foreign_to_armv6 TARGET: the instructions of its program that an ARM1176 lacks, with their functions.
foreign_to_armv6() {
  "$objdump" -d --no-show-raw-insn --triple=armv6k-linux-gnueabihf --mattr=+vfp2 \
    "$eightballd_folder/$1/eightballd.full" |
    awk '/>:$/ { name = $2 } /<unknown>/ { print name, $0 }' | grep -vE "$chosen_at_run_time" || true
}

# check_static_parts: what eightballd has instead of musl's functions, and a control of the heap's names.
check_static_parts() {
  # Formats are given on purpose that no compiler would let pass.
  "$compiler" -Wall -Wextra -Werror -Wno-format -Dvsnprintf=small_vsnprintf \
    -c Sources/eightballd/Static/vsnprintf.c -o "$folder/vsnprintf.o"
  "$compiler" -Wall -Wextra -Werror -Wno-format Tests/Static/vsnprintf.c "$folder/vsnprintf.o" \
    -o "$folder/vsnprintf"
  "$folder/vsnprintf" || fail "The program's vsnprintf differs from the system's."
  echo "The program's vsnprintf gives what the system's does."
  "$compiler" -Wall -Wextra -Werror -Drealpath=small_realpath -c Sources/eightballd/Static/realpath.c \
    -o "$folder/realpath.o"
  "$compiler" -Wall -Wextra -Werror Tests/Static/realpath.c "$folder/realpath.o" -o "$folder/realpath"
  mkdir "$folder/links"
  "$folder/realpath" "$folder/links" || fail "The program's realpath differs from the system's."
  echo "The program's realpath gives what the system's does."
  "$compiler" -Wall -Wextra -Werror -fno-builtin -Dmalloc=small_malloc -Dcalloc=small_calloc \
    -Drealloc=small_realloc -Dfree=small_free -c Sources/eightballd/Static/heap.c -o "$folder/small-heap.o"
  "$compiler" -Wall -Wextra -Werror -fno-builtin Tests/Static/heap.c "$folder/small-heap.o" \
    -o "$folder/small-heap"
  "$folder/small-heap" || fail "The program's heap lost bytes, or handed out the same bytes twice."
  echo "The program's heap passes its test."
  "$compiler" -Wall -Wextra -Werror -Dstrerror=small_strerror -c Sources/eightballd/Static/strerror.c \
    -o "$folder/small-strerror.o"
  "$compiler" -Wall -Wextra -Werror Tests/Static/strerror.c "$folder/small-strerror.o" -o "$folder/strerror"
  "$folder/strerror" || fail "The program's strerror has a wrong text."
  echo "The program's strerror has the texts of its errors."
  # A control of the heap's names: an object that allocates by the usual ones does not link.
  (build_musl "$(this_target)")
  echo 'void *malloc(unsigned long); void _start(void) { malloc(1); }' >"$folder/heap.c"
  "$compiler" -w -ffreestanding -c "$folder/heap.c" -o "$folder/heap.o"
  with_heap_of_c "$musl_folder/$(this_target)/lib/libc.a" "$folder/libc.a"
  if "$(swift_tool ld.lld)" -static "$folder/heap.o" "$folder/libc.a" -o "$folder/heap" 2>"$folder/log"; then
    fail "An object that calls malloc is linked."
  fi
  grep -q 'undefined symbol: malloc' "$folder/log" || fail "$(cat "$folder/log")"
}

# check_eightballd [TARGET]: builds it for all processors, runs it there or in QEMU, asks it over the air of the debug
# build of eightball, and reads each instruction of the one for the ARM1176 of a Pi Zero.
check_eightballd() {
  local answers
  need_swift
  compiler=$(swift_tool clang)
  objdump=$(swift_tool llvm-objdump)
  nm=$(command -v llvm-nm || swift_tool llvm-nm)
  command -v qemu-arm-static >/dev/null || fail "qemu-user-static is missing: run scripts/setup firmware."
  if [ -z "${EIGHTBALL:-}" ]; then
    scripts/build debug
    EIGHTBALL="$PWD/$build_folder/debug/eightball"
  fi
  tool=$(from_user "$EIGHTBALL")
  folder=$(mktemp -d -t 8ball-firmware-XXXXXX)
  trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
  if [ $# = 1 ]; then
    [ -n "${processors[$1]:-}" ] || refuse_usage "$1 is not known. There are: ${targets[*]}"
    check_processor "$1"
    return
  fi
  steps $((${#targets[@]} + 2))
  step "What it is made with"
  check_static_parts
  step_done

  side_by_side "eightballd for " env EIGHTBALL="$tool" scripts/check eightballd -- "${targets[@]}" | tee "$folder/targets"
  step_number=$((step_number + ${#targets[@]}))
  answers=$(sed -n 's/^Asked, it answers: //p' "$folder/targets" | sort -u)
  [ "$(wc -l <<<"$answers")" = 1 ] ||
    fail "With the same seed, eightballd gives other answers on other processors:" "$answers"
  check_figure "the Pi Zero's, " "$(stat -c %s "$eightballd_folder/armv6/eightballd")"

  step "Each instruction for the ARM1176"
  foreign=$(foreign_to_armv6 armv6)
  [ -z "$foreign" ] || fail "The program for armv6 has instructions that an ARM1176 lacks:" \
    "$(head -n 20 <<<"$foreign")"
  # A control: of the program for ARMv7 there must be some, and it must not run.
  foreign=$(foreign_to_armv6 armv7 | wc -l)
  [ "$foreign" -gt 100 ] ||
    fail "Of the program for armv7 $foreign instructions are foreign to an ARM1176: nothing is proved."
  status=0
  on arm1176 armv7
  ("${command[@]}" --version; exit $?) >"$folder/log" 2>&1 || status=$?
  # 128 and the signal's number, SIGILL.
  [ "$status" = 132 ] || fail "QEMU's ARM1176 runs ARMv7 code: nothing is proved. Status $status."
  echo "All are ARMv6's. As a control, $foreign of the program for armv7 are not, and it stops with SIGILL."
  step_done
}

# ---- The ball without an operating system ----

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
    # shellcheck disable=SC2046 # one word a flag
    compile_bare_metal "$folder/$name.o" $(firmware_target "$name") \
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
