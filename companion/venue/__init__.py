"""A club with many tables: what each of them reports through an MQTT broker, their results, and their accounts there.

Whatever a table sends is untrusted: it is checked, limited and cleaned here before anything else sees it.
"""
