# For type checkers: __init__.py loads each when it is used.
from ankrcode.workspace.journal.journal import Journal as Journal
from ankrcode.workspace.journal.journal import Pending as Pending
from ankrcode.workspace.journal.journal import Who as Who
