import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RECIPES, type Recipe } from "../recipes.ts";
import type { Entry, Filter } from "../types.ts";
import { analyseEntry, analyseQuery } from "./analysis.ts";
import { LexicalIndex } from "./lexical-index.ts";

const WORDS = ["red", "green", "blue", "river", "bridge", "stone", "lamp", "cloud"];

const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(" "));
const entry: fc.Arbitrary<Entry> = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  language: fc.constant("en"),
  seq: fc.nat(),
  body: text,
  title: text,
  thread: fc.record({ key: fc.constantFrom("a", "b"), order: fc.nat(5) }),
  attributes: fc.record({ base: fc.nat(2), tag: fc.subarray(["x", "y"]) }),
  validFrom: fc.nat(10),
});
type Step = { put: Entry } | { remove: number };
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: entry.map((put): Step => ({ put })) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 12 }).map((remove): Step => ({ remove })) },
  ),
  { maxLength: 40 },
);
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.constant({}),
  fc.record({ base: fc.subarray([0, 1, 2]) }),
  fc.record({ base: fc.subarray([0, 1, 2]), tag: fc.constant(["x"]) }),
);

/** BM25F as it is written in books, over entries and nothing else. */
function naive(entries: readonly Entry[], recipe: Recipe, question: string): Map<number, number> {
  const analysed = entries.map((one) => ({ entry: one, ...analyseEntry(one, recipe) }));
  const meanLength = analysed.reduce((sum, { length }) => sum + length, 0) / analysed.length;
  const shares = [...recipe.before, ...recipe.after].reduce((sum, share) => sum + share, 1);
  const scores = new Map<number, number>();
  let most = 0;
  for (const { terms } of analyseQuery(question, ["en"]).words) {
    const own = (one: Entry) =>
      terms.reduce((sum, term) => sum + (analyseEntry(one, recipe).terms.get(term) ?? 0), 0);
    const standing = entries.filter((one) => own(one) > 0).length;
    const idf = Math.log(1 + (entries.length - standing + 0.5) / (standing + 0.5));
    most += idf * (recipe.k1 + 1);
    for (const { entry: one, length } of analysed) {
      const thread = entries.filter(({ thread: other }) => other?.key === one.thread?.key);
      thread.sort((a, b) => a.thread!.order - b.thread!.order);
      const place = thread.indexOf(one);
      const near: [Entry | undefined, number][] = [
        ...recipe.before.map((share, i): [Entry | undefined, number] => [thread[place - 1 - i], share]),
        ...recipe.after.map((share, i): [Entry | undefined, number] => [thread[place + 1 + i], share]),
      ];
      let sum = own(one);
      let around = length;
      for (const [other, share] of near) {
        if (other === undefined) continue;
        sum += share * own(other);
        around += share * analyseEntry(other, recipe).length;
      }
      if (sum === 0) continue;
      const norm = recipe.k1 * (1 - recipe.b + (recipe.b * around) / (meanLength * shares));
      scores.set(one.id, (scores.get(one.id) ?? 0) + (idf * sum * (recipe.k1 + 1)) / (sum + norm));
    }
  }
  return new Map([...scores].map(([id, score]) => [id, score / most]));
}

function found(index: LexicalIndex, question: string, where: Filter = {}, at?: number, k = 100) {
  const hits = index.search(
    analyseQuery(question, ["en"]).words,
    index.mask(where, at === undefined ? {} : { at }),
    k,
  );
  return hits.map(({ slot, score }) => ({ id: index.slots.ids[slot]!, score }));
}

describe("BM25F", () => {
  it.each(["document", "memory"] as const)(
    "scores a %s as the naive formula does, whatever was changed",
    (kind) => {
      const recipe = RECIPES[kind];
      fc.assert(
        fc.property(steps, text, filter, fc.option(fc.nat(10)), (changes, question, where, at) => {
          const index = new LexicalIndex(recipe);
          const rows = new Map<number, Entry>();
          for (const step of changes) {
            if ("put" in step) {
              // Entries at the same place of a thread stand in the order in which they came.
              const put = {
                ...step.put,
                thread: { ...step.put.thread!, order: rows.size + step.put.seq * 20 },
              };
              rows.delete(put.id);
              rows.set(put.id, put);
              index.put(put);
            } else {
              rows.delete(step.remove);
              index.remove(step.remove);
            }
          }
          const expected = [...naive([...rows.values()], recipe, question)].filter(([id]) => {
            const { attributes = {}, validFrom = 0 } = rows.get(id)!;
            if (at !== null && validFrom > at) return false;
            return Object.entries(where).every(([name, values]) =>
              [attributes[name]].flat().some((value) => values.includes(value as never)),
            );
          });
          const hits = found(index, question, where, at ?? undefined);
          expect(new Map(hits.map(({ id, score }) => [id, score.toFixed(6)]))).toEqual(
            new Map(expected.map(([id, score]) => [id, score.toFixed(6)])),
          );
          expect(hits.map(({ score }) => score)).toEqual(
            hits.map(({ score }) => score).sort((a, b) => b - a),
          );
          expect(found(index, question, where, at ?? undefined, 3)).toEqual(hits.slice(0, 3));
        }),
      );
    },
  );

  it.each(["document", "memory"] as const)(
    "weighs a %s by all parts of a word, where only the rarest find it",
    (kind) => {
      const words = [
        "Sicherheitsschulung",
        "Schulungen",
        "Sicherheit",
        "Mitarbeiter",
        "Arbeitszeit",
        "Zeiten",
      ];
      const some = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 });
      fc.assert(
        fc.property(fc.array(some, { maxLength: 12 }), some, (bodies, asked) => {
          const [all, few] = [Number.POSITIVE_INFINITY, 0].map((partPostings) => {
            const index = new LexicalIndex({ ...RECIPES[kind], partPostings });
            for (const [id, body] of bodies.entries())
              index.put({
                id,
                seq: 1,
                language: "de",
                body: body.join(" "),
                thread: { key: "a", order: id },
              });
            const hits = index.search(analyseQuery(asked.join(" "), ["de"]).words, index.mask(), 100, "de");
            return new Map(hits.map(({ slot, score }) => [slot, score.toFixed(6)]));
          });
          for (const [slot, score] of few!) expect(score).toBe(all!.get(slot));
        }),
      );
    },
  );

  it("keeps the place of what has only got its vector", () => {
    const index = new LexicalIndex(RECIPES.document, "model");
    const body = "A bridge over the river";
    const vector = new Uint8Array(8).fill(1);
    index.put({ id: 1, seq: 1, body });
    const slot = index.slots.slotOf(1)!;
    index.put({ id: 1, seq: 2, body, embedding: { fingerprint: "model", vector } });
    expect({
      slot: index.slots.slotOf(1),
      has: index.vectors.has(slot),
      seq: index.slots.seqs[slot],
    }).toEqual({ slot, has: true, seq: 2 });
    index.put({ id: 1, seq: 3, body, validFrom: 5, embedding: { fingerprint: "model", vector } });
    expect(index.slots.slotOf(1)).not.toBe(slot);
    expect(index.vectors.count).toBe(1);
    index.put({ id: 1, seq: 4, body, validFrom: 5 });
    expect({ vectors: index.vectors.count, used: index.slots.used }).toEqual({ vectors: 0, used: 2 });
  });

  it("is the same after thousands of replacements, which leave no trace", () => {
    const fresh = new LexicalIndex(RECIPES.document);
    const worn = new LexicalIndex(RECIPES.document);
    const body = (id: number, round: number) =>
      `${WORDS[(id * 7 + round) % 8]} ${WORDS[(id + round) % 8]} number${id}`;
    for (let round = 0; round < 30; round++)
      for (let id = 0; id < 200; id++) worn.put({ id, seq: round, body: body(id, round) });
    for (let id = 0; id < 200; id++) fresh.put({ id, seq: 29, body: body(id, 29) });
    for (const question of ["red river", "stone number7", "cloud lamp blue"])
      expect(found(worn, question)).toEqual(found(fresh, question));
    expect(worn.slots.used).toBeLessThan(1_500);
  });
});
