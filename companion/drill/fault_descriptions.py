"""Describes in a sentence the fault that each drill causes. The keys are the names of the drills."""

from __future__ import annotations

from collections.abc import Mapping

FAULT_DESCRIPTIONS: Mapping[str, str] = {
    "camera-lost": "The camera’s cable was pulled.",
    "camera-killed": "The program that reads the camera was killed.",
    "hostile-frames": "The camera sent pictures that mean nothing.",
    "box-unplugged": "The box was unplugged.",
    "phones-gone": "All phones lost their connections, in the middle of moves.",
    "disk-full": "The disk became full.",
    "clock-jumps": "The clock jumped by 90 days, then back by 10 years, then to the right time.",
    "process-killed": "The service was killed while phones made moves.",
}
