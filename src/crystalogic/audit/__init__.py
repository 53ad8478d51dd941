"""Questions about models in the user's units, answered by proof, by concrete rows, or not within the time allowed."""
