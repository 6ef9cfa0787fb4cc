"""Seeing: frames from a camera or a file, codes in them, and what they do over time."""

import os

MEGAPIXELS = 200
"""Larger pictures are refused: of these a code can be read in some seconds, and no camera makes larger ones."""

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MEGAPIXELS * 10**6))  # read when OpenCV is first imported
# Read when NumPy is first imported. Our products are small: threads make them slower, and a Pi has other work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
