"""Computer vision: reads frames from a camera or a file, finds the codes and cubes in them, and tracks their
movements."""

import os

MAX_MEGAPIXELS = 200
"""Larger images are refused. No camera takes such images, and reading the codes in an image of this size already takes
several seconds."""

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_MEGAPIXELS * 10**6))  # read when OpenCV is first imported
# Read when NumPy is first imported. Threads only slow down work on small matrices, and the Pi needs its other cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def use_one_thread() -> None:
    """Limits OpenCV to one thread. NumPy's threads and the size of the images that OpenCV opens are limited by
    importing `vision`, but only if it is imported before NumPy and OpenCV."""
    import cv2

    cv2.setNumThreads(1)
