// The page's life: everything follows from the address.

import { showCharts } from "./charts.js";
import { chunk, episode } from "./chunks.js";
import { byId, el, say } from "./dom.js";
import { chosen, makeFilters, setFilters, showCount } from "./filters.js";
import { List, placeList } from "./list.js";
import { Model, RESULTS } from "./model.js";
import { showStep } from "./panel.js";
import { go, readPlace, withStep } from "./place.js";
import { showRuns, showScores } from "./scorecard.js";
import { Search } from "./search.js";
import { makeTheme } from "./theme.js";
import { showVersus } from "./versus.js";

class Page {
  constructor(model) {
    this.model = model;
    this.search = new Search(model);
    this.list = new List(model, (one, focus) => this.open(one, false, focus), () => this.moved());
    this.form = makeFilters(model);
    this.filtered = null;
    this.opened = "";
    this.turn = 0;
    this.focus = false;
  }

  start() {
    showRuns(this.model);
    showScores(this.model);
    showVersus(this.model);
    makeWays();
    makeTheme();
    placeList(this.list, this.form);
    byId("f-q").addEventListener("focus", () => this.search.read());
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => this.key(event));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.list.view.focus();
    });
    this.follow();
    performance.mark("comem-ready");
    // Charts are below the fold or beside it: the list comes first.
    requestAnimationFrame(() => {
      showCharts(this.model);
      document.documentElement.dataset.ready = "yes";
    });
  }

  /** Show what the address says. */
  async follow() {
    const turn = ++this.turn, place = readPlace();
    setFilters(this.form, place);
    if (place.q && this.search.texts === null) {
      byId("found").textContent = "reading answers\u2026";
      await this.search.read();
      if (turn !== this.turn) return;
    }
    const key = JSON.stringify({ ...place, step: "", run: "" });
    if (key !== this.filtered) {
      this.filtered = key;
      const cases = chosen(this.model, place, this.search);
      this.list.show(cases);
      showCount(this.model, cases.length);
    }
    await this.followStep(place, turn);
  }

  async followStep(place, turn) {
    const one = place.step ? this.model.find(place.step) : -1;
    if (one < 0) {
      this.shut();
      if (place.step) say("There is no step " + place.step);
      byId("counts").dataset.lost = place.step ? "yes" : "";
      return;
    }
    const runs = this.model.runsOf(one);
    const run = runs.includes(Number(place.run) - 1) ? Number(place.run) - 1 : runs[0];
    if (this.opened === one + " " + run) return;
    const details = await episode(this.model.episodeOf(one));
    if (turn !== this.turn) return;
    this.opened = one + " " + run;
    this.list.select(one);
    showStep(this.model, details, one, run, {
      place, next: () => this.beside(1), previous: () => this.beside(-1), close: () => this.close(),
    });
    document.documentElement.dataset.panel = "open";
    this.narrow();
    this.list.reveal();
    if (this.wide()) this.list.view.scrollIntoView({ block: "nearest", behavior: "instant" });
    if (this.focus || !this.wide()) byId("panel-title").focus();
    this.focus = false;
    say(`${this.model.id(one, run)}: ${RESULTS[this.model.result(one, run)].told}`);
    if (runs.length > 1 && place.run) byId("of-run-" + place.run)?.classList.add("wanted");
  }

  wide() { return matchMedia("(min-width: 900px)").matches; }

  /** On a narrow screen the panel covers everything: what is behind it takes no part. */
  narrow() {
    byId("app").inert = document.documentElement.dataset.panel === "open" && !this.wide();
  }

  /** Open a case; with `instead`, it takes the place of the one that is open. */
  open(one, instead = false, focus = false) {
    this.focus = focus;
    const place = readPlace();
    const run = this.model.runsOf(one).find((each) => each === Number(place.in) - 1) ?? this.model.runsOf(one)[0];
    go(withStep(place, this.model.id(one, run), run), instead);
  }

  beside(by) {
    this.list.step(by);
    this.moved();
  }

  /** The panel goes along with the list. */
  moved() {
    if (this.opened !== "" && this.list.current !== undefined) this.open(this.list.current, true);
  }

  close() { go(withStep(readPlace(), "", 0)); }

  shut() {
    if (this.opened === "") return;
    this.opened = "";
    document.documentElement.dataset.panel = "";
    this.narrow();
    byId("panel").hidden = true;
    byId("panel").replaceChildren();
    this.list.view.focus({ preventScroll: true });
    this.list.draw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "Escape") {
      if (typing) this.list.view.focus();
      else if (this.opened !== "") this.close();
      else return;
    } else if (typing) {
      return;
    } else if (event.key === "/") {
      if (this.opened !== "" && !this.wide()) return;
      byId("f-q").focus();
      byId("f-q").select();
    } else if (event.key === "j" || event.key === "k") {
      const by = event.key === "j" ? 1 : -1;
      if (this.opened !== "") this.beside(by);
      else {
        this.list.view.focus();
        this.list.step(by);
      }
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** Put ways to the parts of the page into its head; the address is for filters and steps. */
function makeWays() {
  for (const [name, id] of [["Scorecard", "scores"], ["Comparison", "versus"], ["Charts", "charts"], ["Steps", "steps-part"]]) {
    if (byId(id).hidden) continue;
    byId("tools").append(el("button", { type: "button", on: { click: () => byId(id).scrollIntoView() } }, name));
  }
}

if (typeof DecompressionStream === "undefined") {
  byId("main").append(el("p", { class: "notice" }, "This browser cannot inflate the page's data; any of 2023 or later can."));
} else {
  chunk("index").then((index) => {
    const page = new Page(new Model(index));
    page.start();
    addEventListener("resize", () => page.narrow());
  });
}
