"""All drills by name, and the function that performs one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from companion.drill.bench import Bench
from companion.drill.box_drill import unplug_box
from companion.drill.camera_drills import kill_camera_process, lose_camera, show_hostile_frames
from companion.drill.clock_drill import jump_clock
from companion.drill.disk_drill import fill_disk
from companion.drill.kill_drill import kill_service
from companion.drill.outcome import DrillFailed, NotPossible, Observed, Outcome
from companion.drill.phone import NoAnswer, Refused
from companion.drill.phone_drill import lose_phones


@dataclass(frozen=True)
class Drill:
    """`fault`: what breaks, in a sentence. `perform` breaks it; it raises DrillFailed, NotPossible, Refused or
    NoAnswer."""

    fault: str
    perform: Callable[[Bench], Observed]


DRILLS: Mapping[str, Drill] = {
    "camera-lost": Drill("The camera's cable was pulled.", lose_camera),
    "camera-killed": Drill("The program that reads the camera was killed.", kill_camera_process),
    "hostile-frames": Drill("The camera sent pictures that mean nothing.", show_hostile_frames),
    "box-unplugged": Drill("The box was unplugged.", unplug_box),
    "phones-gone": Drill("All phones lost their connections, in the middle of moves.", lose_phones),
    "disk-full": Drill("The disk became full.", fill_disk),
    "clock-jumps": Drill("The clock jumped by 90 days, then by 10 years, then back.", jump_clock),
    "process-killed": Drill("The service was killed while phones made moves.", kill_service),
}


def outcome_of(name: str, bench: Bench) -> Outcome:
    """Performs a drill, and returns its outcome."""
    drill = DRILLS[name]
    try:
        observed = drill.perform(bench)
    except NotPossible as reason:
        return Outcome(name, "not tried", drill.fault, problem=str(reason))
    except DrillFailed as failure:
        return Outcome(name, "failed", drill.fault, problem=str(failure))
    except Refused as refused:
        return Outcome(name, "failed", drill.fault, problem=f"A phone was refused: {refused}")
    except NoAnswer as error:
        return Outcome(name, "failed", drill.fault, problem=f"A phone got no answer: {error}")
    return Outcome(name, "ok", drill.fault, observed.seen, observed.recovery, observed.seconds)
