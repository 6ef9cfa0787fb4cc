"""Computer vision: frames from a camera or a file, the codes and cubes in them, and how they move over time."""

import os

MAX_MEGAPIXELS = 200
"""Larger images are refused. No camera makes larger ones, and reading the codes in one takes some seconds."""

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_MEGAPIXELS * 10**6))  # read when OpenCV is first imported
# Read when NumPy is first imported. Our matrices are small: threads slow them down, and a Pi has other work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def use_one_thread() -> None:
    """Keeps OpenCV to one thread. A process that calls this before it imports OpenCV or NumPy gets the settings above
    too."""
    import cv2

    cv2.setNumThreads(1)
