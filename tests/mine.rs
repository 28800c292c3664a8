#[path = "claims/checkpoint.rs"]
mod checkpoint;
#[path = "claims/translation.rs"]
mod translation;
