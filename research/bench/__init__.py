"""The default learner beside its peers: the same splits, the same measures, one run."""
