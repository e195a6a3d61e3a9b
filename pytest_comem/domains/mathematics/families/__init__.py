"""The families of formal mathematics, and what writes them; nothing at run time imports this."""
