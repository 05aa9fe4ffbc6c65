//! Rabbits and Wolves, the game of one rabbit and four wolves on the dark squares of an 8x8 board.

pub mod solved;
