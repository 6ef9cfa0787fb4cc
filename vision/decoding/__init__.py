"""From a grey picture to the codes in it."""
