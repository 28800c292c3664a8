//! From gradients to better weights (§5.3).
