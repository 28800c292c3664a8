//! How wrong the model is, as one number (§5.4).
