"""Drawing in millimeters, for print sheets and for pictures of components."""
