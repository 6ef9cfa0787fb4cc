"""All drills by name, and the function that performs one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.drill.box_drill import unplug_box
from companion.drill.camera_drills import kill_camera_process, lose_camera, show_hostile_frames
from companion.drill.clock_drill import jump_clock
from companion.drill.disk_drill import fill_disk
from companion.drill.environment import DrillEnvironment
from companion.drill.fault_descriptions import FAULT_DESCRIPTIONS
from companion.drill.kill_drill import kill_service
from companion.drill.outcome import DrillFailed, DrillOutcome, NotPossible, RecoveryReport
from companion.drill.phone import NoResponse, Refused
from companion.drill.phone_drill import lose_phones

Drill = Callable[[DrillEnvironment], RecoveryReport]
"""A function that causes a fault and reports how the service recovered. Raises DrillFailed, NotPossible, Refused or
NoResponse."""

DRILLS: Mapping[str, Drill] = {
    "camera-lost": lose_camera,
    "camera-killed": kill_camera_process,
    "hostile-frames": show_hostile_frames,
    "box-unplugged": unplug_box,
    "phones-gone": lose_phones,
    "disk-full": fill_disk,
    "clock-jumps": jump_clock,
    "process-killed": kill_service,
}


def run_drill(name: str, environment: DrillEnvironment) -> DrillOutcome:
    """Performs a drill, and returns its outcome."""
    fault = FAULT_DESCRIPTIONS[name]
    try:
        report = DRILLS[name](environment)
    except NotPossible as reason:
        return DrillOutcome(name, "not tried", fault, problem=str(reason))
    except DrillFailed as failure:
        return DrillOutcome(name, "failed", fault, problem=str(failure))
    except Refused as refused:
        return DrillOutcome(name, "failed", fault, problem=f"A phone was refused: {refused}")
    except NoResponse as error:
        return DrillOutcome(name, "failed", fault, problem=f"A phone got no answer: {error}")
    return DrillOutcome(name, "ok", fault, report.seen, report.recovery, round(report.seconds, 2))
