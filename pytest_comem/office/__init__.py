"""Who does an office task in a sandbox, and what decides how well it was done."""
