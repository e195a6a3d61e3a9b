// Elements made from text: nothing that comes from a run is ever read as HTML.

/** Characters that hide, turn text around or are half a character: shown as escapes instead. */
const UNSEEN = new RegExp([
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]",
  "[\\ud800-\\udbff](?![\\udc00-\\udfff])", "(?<![\\ud800-\\udbff])[\\udc00-\\udfff]",
].join("|"), "g");

/** Return text with every such character as an escape. */
export function visible(text) {
  return text.replace(UNSEEN, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * Return an element. `props` are attributes; `on` holds listeners; what is null or false is left
 * out. Children that are no nodes become text.
 */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** Return an SVG element, made as `el` does. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, String(value));
    }
  }
  node.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** Return an element that holds text of a run, kept apart from the direction of what is around. */
export function quoted(text, tag = "span", more = "") {
  return el(tag, { class: ("quoted " + more).trim(), dir: "auto" }, visible(text));
}

/** Return the element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Say something to those who hear the page. */
export function say(text) {
  byId("said").textContent = text;
}
