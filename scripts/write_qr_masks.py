"""Writes companion/qr_masks.txt: the mask pattern of each printed code. Codes that are in the file keep their pattern.

.venv/bin/python scripts/write_qr_masks.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from companion import component_qr_codes
from vision.known_codes import known_codes


def main() -> None:
    """Adds the codes that are not in the file yet, and removes those that are no longer printed."""
    kept = component_qr_codes.masks() if component_qr_codes.MASKS_FILE.exists() else {}
    chosen = {id: kept[id] if id in kept else component_qr_codes.encode(id).mask for id in sorted(known_codes())}
    component_qr_codes.MASKS_FILE.write_text("".join(f"{id} {mask}\n" for id, mask in chosen.items()), encoding="ascii")


if __name__ == "__main__":
    main()
