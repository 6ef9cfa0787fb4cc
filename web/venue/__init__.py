"""The pages of a venue: the wall with all tables, the staff's page, and the standings."""
