// What somebody has in hand: text that is typed and not sent, and clicks that mean this window.

/** Whether a text field below an element holds something. */
export const hasText = (root) => [...root.querySelectorAll("textarea")].some((field) => field.value.trim());

/** Whether a click asks the browser for something of its own: another tab or window, or a download. */
export const meantForBrowser = (event) => event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0;
