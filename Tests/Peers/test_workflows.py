"""What GitHub reads of the repository fits GitHub's own schemas. check-jsonschema has copies of them."""

import subprocess
import sys

import pytest

from programs import PATIENCE, REPOSITORY


def faults(schema: str, *paths) -> str:
    """What differs from the schema in these files; empty if nothing does."""
    run = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths],
        capture_output=True, text=True, timeout=PATIENCE,
    )
    assert run.returncode in (0, 1), run.stderr
    return "" if run.returncode == 0 else run.stdout


@pytest.mark.parametrize(
    "schema, pattern",
    [
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-actions", "action.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/*.yml"),
    ],
)
def test_files_fit_their_schema(schema, pattern):
    paths = sorted(REPOSITORY.glob(pattern))
    assert paths
    assert faults(schema, *paths) == ""


def test_a_wrong_word_in_a_workflow_is_found(tmp_path):
    workflow = tmp_path / "ci.yml"
    text = (REPOSITORY / ".github/workflows/ci.yml").read_text()
    workflow.write_text(text.replace("timeout-minutes:", "timeout-minuts:", 1))
    assert "timeout-minuts" in faults("github-workflows", workflow)
