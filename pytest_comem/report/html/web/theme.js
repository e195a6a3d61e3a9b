// Light or dark: as the system has it, or as the reader said last.

import { byId, el } from "./dom.js";

const KEY = "comem-theme";
const NEXT = { "": "dark", dark: "light", light: "" };
const NAMES = { "": "\u25d0 auto", dark: "\u25cf dark", light: "\u25cb light" };

/** Put the switch into the page. */
export function makeTheme() {
  const button = el("button", { type: "button", id: "theme", on: { click: () => set(NEXT[document.documentElement.dataset.theme || ""]) } });
  byId("tools").append(button);
  set(stored());

  function set(theme) {
    document.documentElement.dataset.theme = theme;
    button.textContent = NAMES[theme];
    button.setAttribute("aria-label", `Colours: ${theme || "as the system has them"}`);
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // No storage here: the choice lasts as long as the page.
    }
  }
}

function stored() {
  try {
    const found = localStorage.getItem(KEY);
    return found in NAMES ? found : "";
  } catch {
    return "";
  }
}
