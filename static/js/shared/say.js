// A voice for what happened.
let quiet = 0;

/** Say something to everybody: shown at the foot of the window for a while, and read out politely. */
export function say(text, kind = "info") {
  const box = document.getElementById("say");
  box.className = kind;
  box.textContent = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => { box.textContent = ""; }, kind === "error" ? 12000 : 5000);
}
