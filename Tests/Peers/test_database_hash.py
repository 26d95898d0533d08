"""The hash function of these tests, with the specification's sample data (Vol 3, Part G, Appendix B)."""

from database_hash import database_hash


def test_the_sample_of_the_specification():
    attributes = [
        (0x0001, 0x2800, bytes.fromhex("0018")),
        (0x0002, 0x2803, bytes.fromhex("0A0300002A")),
        (0x0003, 0x2A00, b""),
        (0x0004, 0x2803, bytes.fromhex("020500012A")),
        (0x0005, 0x2A01, b""),
        (0x0006, 0x2800, bytes.fromhex("0118")),
        (0x0007, 0x2803, bytes.fromhex("200800052A")),
        (0x0008, 0x2A05, b""),
        (0x0009, 0x2902, b""),
        (0x000A, 0x2803, bytes.fromhex("0A0B00292B")),
        (0x000B, 0x2B29, b""),
        (0x000C, 0x2803, bytes.fromhex("020D002A2B")),
        (0x000D, 0x2B2A, b""),
        (0x000E, 0x2800, bytes.fromhex("0818")),
        (0x000F, 0x2802, bytes.fromhex("140016000F18")),
        (0x0010, 0x2803, bytes.fromhex("A21100182A")),
        (0x0011, 0x2A18, b""),
        (0x0012, 0x2902, b""),
        (0x0013, 0x2900, bytes.fromhex("0000")),
        (0x0014, 0x2801, bytes.fromhex("0F18")),
        (0x0015, 0x2803, bytes.fromhex("021600192A")),
        (0x0016, 0x2A19, b""),
    ]
    assert database_hash(attributes) == bytes.fromhex("F1CA2D48ECF58BAC8A8830BBB9FBA990")
