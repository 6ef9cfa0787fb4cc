"""Drawing in millimetres, for print sheets and for pictures of components."""
