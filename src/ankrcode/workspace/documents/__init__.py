"""What a reader is shown: text, pictures, PDFs and notebooks, within bounds."""
