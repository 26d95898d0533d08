# Sourced by scripts/check, never run.
# shellcheck shell=bash

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
