// A refused action on a row is an answer: its menu as it is now, with the reason on top.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status !== 403 || !event.detail.elt.closest(".acts")) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});
