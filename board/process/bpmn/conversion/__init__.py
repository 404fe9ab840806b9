"""From plain data to the rows of a table: activities, events, gateways, loops."""
