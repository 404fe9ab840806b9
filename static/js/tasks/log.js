// Following a log: what is new is appended; it stops when the attempt ends or the page is left.
import { fragment } from "../shared/fragments.js";

const MOST = 2_000_000; // characters of a log kept on the page; the file has all of them

const size = (bytes) => (bytes < 1024 ? `${bytes} bytes` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`);

async function ask(log) {
  const out = log.querySelector(".out");
  let wait = 1000;
  if (log.isConnected && !document.hidden) {
    try {
      const answer = await fragment(`${log.dataset.after}?after=${log.dataset.next}`);
      if (answer.ok) {
        append(log, out, await answer.text());
        const [next, whole] = [answer.headers.get("X-Next"), Number(answer.headers.get("X-Size"))];
        if (Number(next) < whole && next !== log.dataset.next) wait = 50;
        else if (answer.headers.get("X-Running") === "no") return delete log.dataset.follow;
        log.dataset.next = next;
        const said = log.querySelector(".size");
        if (said) said.textContent = size(whole);
      }
    } catch {
      wait = 3000;
    }
  }
  if (log.isConnected) setTimeout(() => ask(log), wait);
}

function append(log, out, text) {
  if (!text) return;
  const below = out.scrollHeight - out.scrollTop - out.clientHeight < 40;
  out.append(text);
  while (out.textContent.length > MOST && out.firstChild !== out.lastChild) out.firstChild.remove();
  if (below) out.scrollTop = out.scrollHeight;
}

/** Show the end of a log, and what comes if its attempt is running. */
export function follow(log) {
  const out = log.querySelector(".out");
  out.scrollTop = out.scrollHeight;
  if ("follow" in log.dataset) ask(log);
}

document.querySelectorAll(".log").forEach(follow);
