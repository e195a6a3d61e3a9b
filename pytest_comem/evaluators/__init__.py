"""What decides a step: native evaluators and judges."""
