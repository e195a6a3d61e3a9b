// Search over questions, answers and ids. Answers are in the chunks, and read when first needed.

import { chunk, whole } from "./chunks.js";

export class Search {
  constructor(model) {
    this.model = model;
    this.texts = null;
    this.reading = null;
  }

  /** Read all answers, once. */
  read() {
    this.reading ??= this.readAll();
    return this.reading;
  }

  async readAll() {
    const model = this.model;
    const texts = new Array(model.size);
    for (let one = 0; one < model.size; one++) {
      const ids = model.runsOf(one).map((run) => model.id(one, run)).join("\n");
      texts[one] = `${model.question(one)}\n${ids}\n${model.steps.id[model.cases.step[one]]}`;
    }
    await whole();
    for (let number = 0; number < model.episodes.length; number++) {
      const details = await chunk("e" + number);
      for (const [one, cells] of Object.entries(details.cells)) {
        for (const cell of Object.values(cells)) {
          if (cell.said) texts[one] += "\n" + cell.said.map((place) => details.texts[place]).join("\n");
        }
      }
    }
    this.texts = texts.map((text) => text.toLowerCase());
  }

  /** Return a test of cases: whether they hold every word, or the words in quotes as they stand. */
  finder(query) {
    const wanted = [...query.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map((found) => found[1] ?? found[2]);
    return (one) => wanted.every((word) => this.texts[one].includes(word));
  }
}
