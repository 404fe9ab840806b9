// What all scripts of a board speak of.
export const board = document.getElementById("board");

/** The list of sections; filtering puts another in its place. */
export const list = () => document.getElementById("list");

/** The box of the picture; null where the process has none to show. */
export const pictureBox = document.getElementById("picture");
