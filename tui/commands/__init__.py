"""The commands of the command line, one a module. Nothing heavy is imported before a command runs."""
