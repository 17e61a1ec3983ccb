"""The skills that come with ore."""
