// Draws a board.
