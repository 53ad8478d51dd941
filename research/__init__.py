"""Research beside the package: the paper run again, and the default learner beside its peers."""
