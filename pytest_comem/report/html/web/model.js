// The index of the page, and what follows from it.

export const PASSED = 0;
export const FAILED = 1;
export const UNSCORED = 2;
export const ABSENT = -1;
export const RESULTS = {
  [PASSED]: { name: "pass", sign: "\u2713", told: "passed" },
  [FAILED]: { name: "fail", sign: "\u2717", told: "failed" },
  [UNSCORED]: { name: "unscored", sign: "?", told: "unscored" },
  [ABSENT]: { name: "absent", sign: "\u00b7", told: "not in this run" },
};
/** What a label is called where its own name says too little. */
const TITLES = { pair: "family", target: "target of the operator", terminal: "last node" };
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Return what a label is called. */
export function labelTitle(name) {
  return TITLES[name] || name.replaceAll("_", " ");
}

export class Model {
  constructor(index) {
    Object.assign(this, index);
    this.size = this.cases.step.length;
    const sides = this.rows.flatMap((row) => row.sides).filter(Boolean);
    this.several = new Set(sides.map((side) => side.model)).size > 1;
    this.cards.forEach((card, number) => { card.letter = LETTERS[number] || String(number + 1); });
    this.labels = null;
  }

  word(number) { return number < 0 ? "" : this.words[number]; }

  result(one, run) { return this.cases.runs[run].result[one]; }

  kind(one, run) { return this.word(this.cases.runs[run].kind[one]); }

  action(one, run) { return this.word(this.cases.runs[run].action[one]); }

  tokens(one, run) { return this.cases.runs[run].tokens[one] ?? -1; }

  question(one) { return this.steps.question[this.cases.step[one]]; }

  episodeOf(one) { return this.steps.episode[this.cases.step[one]]; }

  domain(one) { return this.episodes[this.episodeOf(one)].domain; }

  label(name, one) { return this.word(this.steps.labels[name][this.cases.step[one]]); }

  /** Numbers of the runs that have an outcome of this case. */
  runsOf(one) {
    return this.runs.map((_, run) => run).filter((run) => this.result(one, run) !== ABSENT);
  }

  /** What pytest calls this case in a run, in brackets. */
  id(one, run) {
    const side = this.rows[this.cases.row[one]].sides[run];
    return side ? side.head + "-" + this.steps.tail[this.cases.step[one]] : "";
  }

  /** The case that a run, or any run, calls so; -1 for none. */
  find(label) {
    if (this.labels === null) {
      this.labels = new Map();
      for (let one = 0; one < this.size; one++) {
        for (const run of this.runsOf(one)) {
          const id = this.id(one, run);
          if (!this.labels.has(id)) this.labels.set(id, one);
        }
      }
    }
    return this.labels.get(label) ?? -1;
  }

  /** A step's name without its episode's. */
  short(one) {
    const tail = this.steps.tail[this.cases.step[one]];
    return tail.slice(tail.lastIndexOf("-") + 1);
  }

  /** What a row is called in a run. */
  side(row, run) {
    const side = this.rows[row].sides[run];
    if (!side) return "";
    return this.several ? side.system + " with " + side.model : side.system;
  }

  /** What a row is called whatever the run. */
  row(row) {
    const names = this.rows[row].sides.map((_, run) => this.side(row, run)).filter(Boolean);
    return [...new Set(names)].join(" / ");
  }

  /** What a card is called: its row, and its run where there are several. */
  card(card) {
    const name = this.side(card.row, card.run);
    return this.runs.length > 1 ? name + ", " + this.run(card.run) : name;
  }

  run(run) { return "run " + (run + 1); }

  suite(name) { return this.suites.find((one) => one.name === name); }

  cardsOf(suite) { return this.cards.filter((card) => this.rows[card.row].suite === suite); }

  /** Whether the result changed between the first run and a later one: "lost", "gained" or "". */
  flip(one) {
    const first = this.result(one, 0);
    if (first !== PASSED && first !== FAILED) return "";
    for (let run = 1; run < this.runs.length; run++) {
      const later = this.result(one, run);
      if (first === PASSED && later === FAILED) return "lost";
      if (first === FAILED && later === PASSED) return "gained";
    }
    return "";
  }
}
