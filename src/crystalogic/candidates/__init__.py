"""What every learner takes and gives: knowledge, weights of rows, candidates, the front, the result."""
