"""The page on which the host sets up the table: the camera, the findings, and maintenance."""
