"""Rules from tables too long to be learned whole: an overview, a sample, a learner, scores on all rows."""
