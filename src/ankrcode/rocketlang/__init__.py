"""A language of commands in English and five Indian languages; needs no model."""
