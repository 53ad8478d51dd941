collect_ignore = ["run.py"]  # atheris starts it, in an environment of its own
