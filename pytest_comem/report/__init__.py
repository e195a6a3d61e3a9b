"""What people read: progress, failures, scorecards."""
