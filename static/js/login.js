// An expired login is healed where it is noticed: the login is laid over the page, and what was typed stays under it.
"use strict";

foldboard.login = {
  waiting: [], // what to do again once somebody is logged in

  async ask(again) {
    if (again) this.waiting.push(again);
    if (document.getElementById("login-here")) return;
    const dialog = document.createElement("dialog");
    dialog.id = "login-here";
    dialog.className = "over";
    dialog.setAttribute("aria-labelledby", "login-here-title");
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    try {
      const answer = await fetch(document.body.dataset.login, { headers: { "HX-Request": "true" } });
      if (this.isDone(answer)) return this.goOn(await answer.json(), dialog); // logged in by another tab
      dialog.innerHTML = await answer.text();
    } catch {
      dialog.remove();
      foldboard.say("Your login has expired, and the board cannot be reached. What you typed is still here.", "error");
      return;
    }
    dialog.addEventListener("submit", (event) => this.send(event, dialog));
    dialog.showModal();
  },

  isDone(answer) {
    return answer.ok && answer.headers.get("Content-Type") === "application/json";
  },

  async send(event, dialog) {
    const form = event.target;
    if (form.method === "dialog") return;
    event.preventDefault();
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { "HX-Request": "true" } });
    if (this.isDone(answer)) return this.goOn(await answer.json(), dialog);
    dialog.innerHTML = await answer.text();
    dialog.querySelector("[name=password], button").focus();
  },

  goOn({ token, name }, dialog) {
    if (name !== document.body.dataset.me) {
      location.reload(); // somebody else sits here now: nothing of the former page is theirs
      return;
    }
    foldboard.renewToken(token);
    dialog.close();
    document.dispatchEvent(new CustomEvent("foldboard:login"));
    this.waiting.splice(0).forEach((again) => again());
  },
};

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status !== 401) return;
  const { elt, requestConfig } = event.detail;
  // what a click asked for is sent again as it was; a poll asks again by itself
  const typed = requestConfig.verb !== "get";
  foldboard.login.ask(typed && (() => htmx.trigger(elt.closest("form") ?? elt, "submit")));
});
