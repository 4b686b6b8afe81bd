"""The kits of the targets that come with Outtake."""
