"""Providers: who answers, one package per vendor or runtime."""
