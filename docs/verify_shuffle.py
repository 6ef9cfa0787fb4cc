"""Checks the shuffle of an exported game: python3 verify_shuffle.py game-1.jsonl

It needs Python alone, and none of Tablekeeper's code. docs/contract.md, "Checkable shuffles", describes what it does.
"""

import hashlib
import hmac
import json
import sys


def hash_of(secret):
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def key_for(shuffle, source, number):
    """The key for a draw: the seed, mixed with the shares of each round that counts for it."""
    key = bytes.fromhex(shuffle["seed"])
    for n, turn in enumerate(shuffle["rounds"]):
        if number >= turn["first_draws"].get(source, 0):
            shares = sorted((s["commitment"], s["share"] or "") for s in shuffle["shares"] if s["round"] == n)
            key = hmac.digest(key, b"".join(bytes.fromhex(share) for _, share in shares), "sha256")
    return key


def face_for(key, source, number, options):
    """What a draw must bring. `options`: each face and how many of it there were."""
    count, attempt = sum(weight for _, weight in options), 0
    limit = 2**256 - 2**256 % count
    while (
        value := int.from_bytes(hmac.digest(key, f"{source}/{number}/{attempt}".encode(), "sha256"), "big")
    ) >= limit:
        attempt += 1
    return [face for face, weight in options for _ in range(weight)][value % count]


with open(sys.argv[1], encoding="utf-8") as file:
    header, *acts = map(json.loads, file)
shuffle, left, changes, count = header.get("shuffle", {}), {}, 0, 0
if "seed" not in shuffle:
    sys.exit("The seed is not revealed: the game still runs, or it is older than checkable shuffles.")
if shuffle["algorithm"] != "tablekeeper-hmac-sha256-1":
    sys.exit("WRONG: this script does not know the algorithm of the shuffle.")
if hash_of(shuffle["seed"]) != shuffle["commitment"]:
    sys.exit("WRONG: the seed does not match its commitment.")
for share in shuffle["shares"]:
    if share["share"] and hash_of(share["share"]) != share["commitment"]:
        sys.exit(f"WRONG: the share of seat {share['seat']} does not match its commitment.")
for act in acts:
    for draw in act.get("draws", []):
        source, number, face = draw["source"], draw["number"], draw["face"]
        changes += "options" in draw
        options = draw.get("options", left.get(source))
        if options is None or face_for(key_for(shuffle, source, number), source, number, options) != face:
            sys.exit(f"WRONG: at version {act['version']}, {face} does not follow from the seed and the shares.")
        left[source] = [[f, n - (f == face)] for f, n in options if n > (f == face)]
        count += 1
print(f"Right: {count} draws follow from the seed and {sum(bool(s['share']) for s in shuffle['shares'])} shares.")
print(f"{changes} times the rules set what could be drawn (at the start, by a shuffle, by an undo).")
