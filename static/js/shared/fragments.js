// Fragments of pages, as every script asks for them.

/** Ask for a fragment; that the login has expired is told to the page, which may lay a login over itself (live.js). */
export async function fragment(url, options = {}) {
  const answer = await fetch(url, { headers: { "HX-Request": "true" }, cache: "no-store", ...options });
  if (answer.status === 401) loginExpired();
  return answer;
}

/** A fragment as text; anything but an answer throws. */
export async function fragmentText(url) {
  const answer = await fragment(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

export function loginExpired() {
  document.dispatchEvent(new Event("login:expired"));
}

/** A document from the text of a page or of fragments. */
export const parsed = (text) => new DOMParser().parseFromString(text, "text/html");
