"""What can go wrong with a study."""

from crystalogic.errors import CrystalogicError


class StudyError(CrystalogicError):
    """A study that cannot run: a store that is in use or damaged, a data set or a peer that does not exist."""
