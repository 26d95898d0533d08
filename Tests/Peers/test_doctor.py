"""The findings and the status of `eightball doctor` for available and missing radios."""

import json

import worlds
from programs import Program, eightball


async def findings(*options: str, status: int) -> dict[str, dict]:
    """The last finding of each subject."""
    async with Program(eightball(), "doctor", "--json", *options) as program:
        assert await program.ended() == status, program.transcript
    lines = [json.loads(line) for line in program.output]
    assert lines[-1]["event"] == "checked"
    assert lines[-1]["well"] == (status == 0)
    return {line["subject"]: line for line in lines[:-1]}


async def test_an_available_radio_is_ok(folder):
    async with worlds.our_air(folder) as (radio, _):
        async with worlds.ball_running("--radio", radio):
            found = await findings("--radio", radio, "--board", "virtual", status=0)
    assert found["radio"]["detail"] == radio
    assert found["board"]["verdict"] == "ok"
    assert found["chip"]["verdict"] == "ok"


async def test_a_missing_radio_is_wrong_with_a_remedy(folder):
    path = folder / "nothing"
    found = await findings("--radio", f"unix:{path}", status=69)
    assert found["radio"]["verdict"] == "wrong"
    assert found["radio"]["detail"] == f"no controller listens at {path}"
    assert found["radio"]["remedy"].endswith(f"eightball radio --listen unix:{path}")


async def test_a_missing_board_ends_with_status_78(folder):
    path = folder / "no.conf"
    found = await findings("--radio", "virtual", "--board", str(path), status=78)
    assert found["board"]["verdict"] == "wrong"
    assert found["board"]["detail"].startswith(f"{path}: cannot read the board's file: ")


async def test_it_prints_for_people():
    async with Program(eightball(), "doctor", "--radio", "virtual", "--board", "virtual") as program:
        assert await program.ended() == 0, program.transcript
    assert program.output[0] == "ok     radio       the virtual air"
    assert program.output[-1].startswith("All is well: ")
