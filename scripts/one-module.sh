# Puts the sources of modules together as one, for Embedded Swift; sourced after lib.sh, never run. The compiler of Swift
# 6.3 refuses a client that ends the life of a value with a deinitialiser from another module, “deinit of non-copyable
# type not visible in the current module”: https://github.com/swiftlang/swift/pull/87303 corrects this.
# shellcheck shell=bash

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

# without_public: removes `public` and `package`, which a program of one module does not need. The compiler then
# removes unused code and constants: 3 % of the code.
without_public() { sed -E 's/^( *(@[A-Za-z_]+(\([^)]*\))? )*)(public|package) ((internal|package)\(set\) )?/\1/'; }

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
