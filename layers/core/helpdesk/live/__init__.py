"""Live updates: WebSocket connections of teammates and visitors, and the hints that are sent to them."""
