"""What `tablekeeper doctor` checks, and what it reports."""
