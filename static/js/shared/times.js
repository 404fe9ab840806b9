// Words for times, which go on while the page stays open.

/** Put words of now into <time class="ago">; what the server wrote stays in `data-wrote`. */
export function tellTimes(root = document) {
  const now = Date.now();
  for (const time of root.querySelectorAll("time.ago")) {
    const seconds = (now - new Date(time.dateTime)) / 1000;
    if (Number.isNaN(seconds) || seconds < -5 || seconds > 3600) continue;
    const minutes = Math.floor(seconds / 60);
    const words = seconds < 45 ? "just now" : minutes < 2 ? "a minute ago" : `${minutes} minutes ago`;
    time.dataset.wrote ??= time.textContent;
    if (time.textContent !== words) time.textContent = words;
  }
  for (const due of root.querySelectorAll("time.due:not(.late)")) {
    if (new Date(due.dateTime) > now) continue;
    due.classList.add("late");
    due.textContent = due.textContent.replace(/^due/, "was due");
  }
}
