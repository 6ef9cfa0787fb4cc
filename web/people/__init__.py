"""The pages about people: their profiles, their statistics, and the files with their games."""
