// What the page says.
