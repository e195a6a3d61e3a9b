// The runs' data: compressed pieces in the page, inflated when they are needed.

const KEPT = 12;
const opened = new Map();

/** Return the value of the chunk with this name. */
export async function chunk(name) {
  const element = document.getElementById("chunk-" + name);
  const binary = atob(element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** Return the details of an episode; the last few are kept. */
export async function episode(number) {
  await whole();
  const known = opened.get(number) || chunk("e" + number);
  opened.delete(number);
  opened.set(number, known);
  if (opened.size > KEPT) opened.delete(opened.keys().next().value);
  return known;
}

/** Wait until the page has been read to its end: later chunks stand after this script. */
export function whole() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
}
