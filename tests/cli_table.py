"""A small table for command lines: red and fifty or older is at risk."""

ROWS = ["age,color,risk"] + [
    f"{age},{color},{int(age >= 50 and color == 'red')}" for age in range(20, 80) for color in ("red", "blue")
]


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())
