/** The element with an id. */
export const byId = (id) => document.getElementById(id);
