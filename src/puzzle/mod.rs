//! What a state and a move are.

pub mod tiles;
