"""The pages of one instance."""
