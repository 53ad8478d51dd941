"""Tables too large to be searched whole: surveyed, sampled and scored part by part, on one machine or a cluster."""
