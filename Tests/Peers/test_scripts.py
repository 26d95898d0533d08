"""Scripts refuse wrong arguments before they build anything."""

import re
import subprocess

import pytest

from programs import PATIENCE, REPOSITORY


@pytest.mark.parametrize(
    "arguments, explanation",
    [
        (["package", "armv5"], "armv5 is not a target. There are: x86_64 aarch64 armv7 armv6"),
        (["demo", "panel", "abc"], "abc is not a port"),
        (["demo", "panel", "65536"], "65536 is not a port"),
        (["build", "all"], "all is not known"),
        (["build", "firmware", "all"], "all is not known"),
        (["check", "all"], "all is not known"),
        (["check", "embedded", "all"], "all is not known"),
        (["install", "eightball"], "eightball is not known"),
        (["pi-test", "raspi9"], "raspi9 is not a board. There are: raspi0 raspi3b"),
    ],
)
def test_a_wrong_argument_is_refused_at_once(arguments, explanation):
    script, *rest = arguments
    run = subprocess.run(
        [REPOSITORY / "scripts" / script, *rest], capture_output=True, text=True, timeout=PATIENCE
    )
    assert run.returncode == 1
    assert explanation in run.stderr
    assert run.stdout == ""


def test_the_demonstrations_read_a_file_that_exists():
    # The program in the background may open its output later than the script reads it.
    for name in ("demo", "lib.sh"):
        text = (REPOSITORY / "scripts" / name).read_text()
        created, started = text.find(': >"$folder/ball"'), text.find('>"$folder/ball" 2>&1')
        assert 0 < created < started, name


@pytest.mark.parametrize(
    "label, factor, is_right",
    [
        ("ask, service database ", 1.04, True),
        ("ask, service database ", 1.06, False),
        ("ask, service database ", 0.94, False),
        ("its Debian package |", 1.0, True),
        ("its Debian package |", 0.62, False),
        ("the Pi Zero's, ", 1.0, True),
        ("no such figure", 1.0, False),
    ],
)
def test_a_figure_of_the_page_is_compared_with_what_was_measured(label, factor, is_right):
    page = (REPOSITORY / "docs" / "figures.md").read_text()
    stated = re.search(re.escape(label) + r"\D*([\d,]+)", page)
    measured = round(factor * int(stated[1].replace(",", "") if stated else 1))
    command = 'source scripts/lib.sh; figure_fault "$@"'
    run = subprocess.run(
        ["bash", "-c", command, "scripts/test", label, str(measured)],
        capture_output=True, text=True, cwd=REPOSITORY, check=True,
    )
    assert (run.stdout == "") == is_right, run.stdout


def test_every_measured_figure_is_on_the_page():
    """The labels that the scripts compare, without running what they measure."""
    page = (REPOSITORY / "docs" / "figures.md").read_text()
    labels = []
    for name in ("Tests/Package/check.sh", "Tests/Static/check.sh"):
        text = (REPOSITORY / name).read_text().replace("""'"'"'""", "’")
        labels += re.findall(r"""check_figure (?:"([^"$]+)"|'([^']+)')""", text)
    found = [(one or other).replace("’", "'") for one, other in labels]
    assert len(found) == 7
    assert [label for label in found if label not in page] == []
