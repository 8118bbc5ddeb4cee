"""What each verb needs, and the calls it comes to."""
