# For scripts that run two things at once; sourced after lib.sh, never run.
# shellcheck shell=bash

# at_exit COMMAND: runs it when the script ends, before the commands of earlier calls.
at_exit() {
  local earlier
  eval "earlier=($(trap -p EXIT))"
  # shellcheck disable=SC2064 # as it is now
  trap "$1${earlier[2]:+; ${earlier[2]}}" EXIT
}

# end_jobs: ends all jobs of two_at_a_time, with their child processes.
end_jobs() {
  local job
  for job in $(jobs -p); do kill -- "-$job" 2>/dev/null || true; done
  wait
}

# two_at_a_time COMMAND ITEM...: runs the command, which may be a function, with each item as its argument: two
# at once where there are two processors. Each is one step, which the command begins and ends. Prints their
# output in the order of the items, and fails at the end if one failed. Each runs in a process of its own, and
# returns its results in files. Do not call it in a condition, where Bash ignores errors.
two_at_a_time() {
  local command=$1 most=1 processes=() outputs=() failed=() process running has_ended
  shift
  local items=("$@") started=0 shown=0 output writer reader
  [ "$(nproc)" = 1 ] || most=2
  printf -v output ', %s' "$@"
  [ "$most" = 1 ] || echo "Two at a time: ${output#, }"
  at_exit end_jobs
  while [ "$shown" -lt $# ]; do
    running=0
    for process in "${processes[@]}"; do ! kill -0 "$process" 2>/dev/null || running=$((running + 1)); done
    if [ "$started" -lt $# ] && [ "$running" -lt "$most" ]; then
      # Its output is a file without a name, which disappears with its readers.
      output=$(mktemp -t 8ball-output-XXXXXX)
      exec {writer}>>"$output" {reader}<"$output"
      rm "$output"
      # In a process group, so that end_jobs can end its children.
      set -m
      (
        set +m
        trap - EXIT
        step_number=$((step_number + started))
        "$command" "${items[started]}"
      ) </dev/null >&"$writer" 2>&1 &
      set +m
      processes+=($!)
      outputs+=("$reader")
      exec {writer}>&-
      started=$((started + 1))
      continue
    fi
    has_ended=true
    ! kill -0 "${processes[shown]}" 2>/dev/null || has_ended=false
    # Prints the new output: the descriptor keeps its position in the file.
    cat <&"${outputs[shown]}"
    if $has_ended; then
      wait "${processes[shown]}" || failed+=("${items[shown]}")
      # A command that failed half-way may have left child processes.
      kill -- "-${processes[shown]}" 2>/dev/null || true
      reader=${outputs[shown]}
      exec {reader}<&-
      shown=$((shown + 1))
    else
      sleep 0.2
    fi
  done
  step_number=$((step_number + $#))
  [ ${#failed[@]} = 0 ] || fail "FAILED: ${failed[*]}. The reasons are above."
}
