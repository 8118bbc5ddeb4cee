"""Any model: one file per wire format, a table of providers, a router over them."""
