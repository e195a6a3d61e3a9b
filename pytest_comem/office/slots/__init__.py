"""What recalled passages teach the offline agent: one learner a kind of slot."""
