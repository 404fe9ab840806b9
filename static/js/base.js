// What every page needs.
