"""The table: the one mutable object that devices, phones and screens share, and its controls."""
