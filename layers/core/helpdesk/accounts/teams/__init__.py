"""Teams: groups of members, to which conversations are assigned."""
