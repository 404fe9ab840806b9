"""Django system checks of the board's surroundings."""
