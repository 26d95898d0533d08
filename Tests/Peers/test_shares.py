"""One central cannot take all of the controller's buffers or all of the ball's connections."""

import controller
from controller import LISTENING, QUESTION, att, ball_on_a_controller

ASK = bytes.fromhex(f"12 {QUESTION}") + b"Will it rain?"


async def test_a_central_that_takes_no_data_leaves_buffers_to_others():
    async with ball_on_a_controller() as (_, radio):
        radio.stalled = {0x40}
        for handle in range(0x40, 0x44):
            radio.send(radio.connected(handle), att(handle, f"12 {LISTENING} 01 00"))
        command = bytes.fromhex(f"52 {QUESTION}") + b"Will it rain?"
        radio.send(*[att(0x40, command)] * 60)
        for handle in range(0x41, 0x44):
            radio.send(att(handle, ASK))
        # The subscription gets a response; the question gets a response and a notification.
        await radio.until(
            lambda: all(len(_pdus(radio, handle)) == 3 for handle in range(0x41, 0x44)),
            "three answers",
        )
        # Of eight buffers, one is reserved for each of the three.
        assert len(_pdus(radio, 0x40)) <= 5
        # The central without completed packets is disconnected: 0.72 s of supervision + 2 s.
        await radio.until(
            lambda: radio.parameters(controller.DISCONNECT) == ["40 00 13"], "the end of its link"
        )


async def test_a_silent_central_is_disconnected_at_full_capacity():
    async with ball_on_a_controller("--idle-limit", "1") as (_, radio):
        radio.send(*[radio.connected(handle) for handle in range(0x40, 0x44)])
        # The host checks once a minute.
        await radio.until(
            lambda: radio.parameters(controller.DISCONNECT), "the end of a link", patience=300
        )
        radio.send(radio.disconnected(int(radio.parameters(controller.DISCONNECT)[0][:2], 16)))
        await radio.until(lambda: radio.is_advertising, "advertising")
        assert len(radio.parameters(controller.DISCONNECT)) == 1


def _pdus(radio, handle):
    return [pdu for link, pdu in radio.pdus if link == handle]
