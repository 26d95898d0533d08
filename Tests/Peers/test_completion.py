"""What a shell offers while a command line is typed."""

import os
import pathlib
import subprocess

import pytest

from programs import PATIENCE, eightball

#: Calls the completion function as bash does, and prints what it offers.
COMPLETE = """source <(eightball --generate-completion-script bash)
COMP_WORDS=(eightball "$@") COMP_CWORD=$# COMP_LINE="eightball $*" COMP_POINT=$((10 + ${#COMP_LINE} - 10))
_eightball eightball "${@: -1}" "${@: -2:1}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}" """


@pytest.mark.parametrize(
    "words, offered",
    [
        (["run", "--board", "pi-4"], ["pi-400", "pi-4b"]),
        (["wiring", "vir"], ["virtual"]),
        (["boards", "--options", "./my"], ["./my-board.conf"]),
        (["run", "--capture", "./my"], ["./my-board.conf"]),
        (["gatt", "Thermometer", "disc"], ["discover", "disconnect"]),
        (["peripheral", "./my"], ["./my-board.conf"]),
    ],
)
def test_bash_offers_boards_and_files(folder, words, offered):
    (folder / "my-board.conf").touch()
    path = f"{pathlib.Path(eightball()).parent}:{os.environ['PATH']}"
    bash = subprocess.run(
        ["bash", "--norc", "-c", COMPLETE, "bash", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=folder,
        env={**os.environ, "PATH": path},
    )
    assert [line.strip() for line in bash.stdout.split()] == offered, bash.stderr
