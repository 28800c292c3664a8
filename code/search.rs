//! Looking for the most probable sentence (§6.1).
