# Sourced by scripts/check, never run.
# shellcheck shell=bash

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
