"""A venue with many tables, such as a club: what the tables report through an MQTT broker, their results, and their
accounts at the broker.

Whatever a table sends is untrusted: it is checked, limited and cleaned here before anything else sees it.
"""
