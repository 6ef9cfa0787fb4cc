"""The table on an MQTT broker: what everyone may see, the commands of buttons, and results for a venue.

Only what a spectator may see is published. Nothing here waits for the broker while it holds the table's lock.
"""
