# For type checkers: __init__.py loads each when it is used.
from ankrcode.workspace.processes.processes import Processes as Processes
