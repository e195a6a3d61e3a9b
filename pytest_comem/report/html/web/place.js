// Where the reader is: filters and the open step, kept in the address so that it can be passed on.

const FIELDS = ["q", "in", "result", "domain", "system", "kind", "sort", "step", "run"];

/** Return what the address says; fields of labels begin with "is.". */
export function readPlace(hash = location.hash) {
  const place = { labels: {} };
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    if (FIELDS.includes(name)) place[name] = value;
    else if (name.startsWith("is.")) place.labels[name.slice(3)] = value;
  }
  return place;
}

/** Return the address of a place. */
export function address(place) {
  const found = new URLSearchParams();
  for (const name of FIELDS) if (place[name]) found.set(name, place[name]);
  for (const [name, value] of Object.entries(place.labels)) if (value) found.set("is." + name, value);
  return "#" + found.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
}

/** Go to a place; with `instead`, the one before is not gone back to. */
export function go(place, instead = false) {
  const to = address(place);
  if (to === (location.hash || "#")) return;
  if (instead) location.replace(to);
  else location.hash = to;
}

/** Return a place with the same filters and another step. */
export function withStep(place, step, run) {
  return { ...place, step, run: run ? String(run + 1) : "" };
}
