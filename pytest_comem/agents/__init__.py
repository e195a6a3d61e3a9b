"""How a step is answered: a model or reader with its instructions, behind one call."""
