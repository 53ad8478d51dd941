"""Rules from tables too long to be searched whole: an overview, samples, searches in stages, scores on all rows."""
