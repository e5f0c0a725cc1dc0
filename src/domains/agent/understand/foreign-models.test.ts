import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { compile } from "../compile/compile.ts";
import { buildKnowledge, type FieldValues } from "../knowledge/build-knowledge.ts";
import { understand } from "./understand.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

function field(
  name: string,
  type: string,
  more: { ai?: typeof NO_AI; description?: string; label?: true } = {},
) {
  const isTime = type === "DATE" ? true : type === "VARCHAR" || more.label === true ? false : null;
  const { ai = NO_AI, description = null } = more;
  return { name, type, isTime, ai, description, label: null, dataType: null, distinctValues: [], sql: null };
}

function dataset(name: string, primaryKey: string[], ai: typeof NO_AI, fields: ReturnType<typeof field>[]) {
  return { name, source: name, description: null, ai, primaryKey, uniqueKeys: [], rowCount: null, fields };
}

function link(from: string, to: string, column: string) {
  return { name: `${from}_${to}`, from, to, fromColumns: [column], toColumns: [column], ai: NO_AI };
}

function metric(name: string, sql: string, dataType: "Integer" | "Decimal", ai = NO_AI) {
  return { name, description: null, dataType, ai, sql, type: "BIGINT" };
}

/** A sailing league: seasons are numbers, results have no date of their own, repairs have no key. */
const MODEL: VisibleModel = {
  id: "m",
  name: "regattas",
  version: 1,
  description: null,
  ai: NO_AI,
  datasets: [
    dataset("regattas", ["regatta_id"], called("regatta"), [
      field("regatta_id", "BIGINT"),
      field("regatta_name", "VARCHAR", { ai: called("regatta") }),
      field("season", "BIGINT", { label: true, ai: called("year") }),
      field("sailed_on", "DATE"),
    ]),
    dataset("sailors", ["sailor_id"], called("sailor", "person"), [
      field("sailor_id", "BIGINT"),
      field("sailor_name", "VARCHAR", { ai: called("sailor") }),
      field("nationality", "VARCHAR"),
      field("sex", "VARCHAR", { description: "M (male) or F (female)" }),
      field("code", "VARCHAR"),
      field("birth_date", "DATE"),
    ]),
    dataset("results", ["result_id"], called("result", "start"), [
      field("result_id", "BIGINT"),
      field("regatta_id", "BIGINT"),
      field("sailor_id", "BIGINT"),
      field("finish_seconds", "DOUBLE", {
        ai: called("sailing time"),
        description: "Time at sea in seconds",
      }),
    ]),
    dataset("repairs", [], called("repair"), [
      field("sailor_id", "BIGINT"),
      field("repair_date", "DATE"),
      field("part", "VARCHAR"),
      field("cost", "DOUBLE"),
    ]),
  ],
  relationships: [
    link("results", "regattas", "regatta_id"),
    link("results", "sailors", "sailor_id"),
    link("repairs", "sailors", "sailor_id"),
  ],
  metrics: [
    metric("wins", "COUNT(CASE WHEN results.place = 1 THEN 1 END)", "Integer", called("victories", "won")),
    metric("repair_cost", "SUM(repairs.cost)", "Decimal", called("spent")),
    metric("parts_used", "COUNT(repairs.part)", "Integer", called("sails replaced")),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "sailors", field: "sailor_name", values: ["Ann Lee", "Bo Falk", "Cy Hale"], isCut: false },
  { ds: "sailors", field: "nationality", values: ["Danish", "Irish"], isCut: false },
  { ds: "sailors", field: "sex", values: ["M", "F"], isCut: false },
  { ds: "sailors", field: "code", values: ["PER", "LEE"], isCut: false },
  { ds: "regattas", field: "regatta_name", values: ["Kiel Cup", "Vs."], isCut: false },
];

const knowledge = buildKnowledge(MODEL, VALUES);

function read(text: string, of = knowledge) {
  const found = understand({ text, now: "2026-07-01T12:00:00", timeZone: "Europe/Berlin" }, of);
  const ask = found.readings[0]?.ask;
  const isRead = found.missing.length === 0 && found.unclear.length === 0 && ask !== undefined;
  return isRead ? ask : { missing: found.missing.map((each) => each.text) };
}

describe("a model that nobody here wrote", () => {
  it("groups by a number that is a label, and does not divide by it", () => {
    const ask = read("wins per season");
    expect(ask).toMatchObject({ by: [{ ds: "regattas", field: "season" }], cols: [{ name: "wins" }] });
    expect(read("wins per year")).toEqual(ask);
    expect(read("wins by season")).toEqual(ask);
  });

  it("reads a number beside such a label as its value", () => {
    expect(JSON.stringify(read("wins in the 2024 season"))).toContain('"values":[2024]');
    expect(JSON.stringify(read("wins in season 2024"))).toContain('"values":[2024]');
  });

  it("takes units for units", () => {
    const plain = read("median sailing time");
    expect(read("median sailing time in seconds")).toEqual(plain);
    expect(JSON.stringify(read("median sailing time in minutes"))).toContain('"v":60');
    const longer = JSON.stringify(read("how many results took longer than 2 minutes"));
    expect(longer).toContain('"op":">","b":{"k":"lit","v":120}');
    expect(read("median sailing time in dollars")).toHaveProperty("missing");
  });

  it("leaves values that are plain words alone, unless they are written so or a noun says it", () => {
    expect(JSON.stringify(read("wins per season"))).not.toContain("PER");
    expect(JSON.stringify(read("wins of PER"))).toContain('"PER"');
    expect(JSON.stringify(read("Ann Lee vs Bo Falk: wins"))).not.toContain("Vs.");
    expect(JSON.stringify(read("wins in the regatta Vs."))).toContain("Vs.");
  });

  it("does not forget names before a colon", () => {
    expect(read("Ann Lee vs Bo Falk: wins")).toMatchObject({
      by: [{ field: "sailor_name" }],
      scope: { if: { values: ["Ann Lee", "Bo Falk"] } },
    });
  });

  it("misses a word that names a metric even where it mostly says nothing", () => {
    expect(JSON.stringify(read("which sailors won a regatta in 2024"))).toContain('"name":"wins"');
    expect(read("who won the Kiel Cup")).toMatchObject({ k: "list", show: [{ field: "sailor_name" }] });
    expect(JSON.stringify(read("win rate by sailor"))).toContain('"op":"/"');
  });

  it("counts what was done, and who did it more often, never or at all", () => {
    const more = JSON.stringify(read("which sailors have won more than 3 regattas"));
    expect(more).toContain('"name":"wins"');
    expect(more).toContain('"v":3');
    expect(JSON.stringify(read("how many sailors have never won"))).toContain('"k":"not"');
  });

  it("takes who sailed then for those of a year, and not who was born in it", () => {
    expect(read("sailors in 2024")).toMatchObject({
      rel: { if: { k: "link", to: { if: { k: "during" } } } },
    });
    expect(read("the youngest sailor")).toMatchObject({ rel: { by: { field: "birth_date" }, dir: "max" } });
  });

  it("counts names once where the same one stands in many rows", () => {
    expect(read("how many different repairs")).toMatchObject({ cols: [{ fn: "distinct" }] });
  });

  it("does not give money for how many", () => {
    expect(JSON.stringify(read("how many sails were replaced in 2025"))).toContain("parts_used");
  });

  it("knows what codes stand for", () => {
    expect(JSON.stringify(read("how many female sailors are there"))).toContain('"values":["F"]');
  });

  it("says whose a field is by the noun before it", () => {
    expect(read("wins by sailor nationality")).toEqual(read("wins by nationality"));
  });

  it("counts rows that are events and have no key, each of them", () => {
    const ask = read("how many repairs were there in 2025");
    if ("missing" in ask) throw new Error("not read");
    expect(compile(knowledge.schema, ask).sql).toContain("count(*)");
  });

  it("computes metrics over columns that are no fields", () => {
    const ask = read("wins by sailor");
    if ("missing" in ask) throw new Error("not read");
    expect(compile(knowledge.schema, ask).sql).toMatch(/"results_\d+"\."place" = 1/);
  });

  it("takes a year for no number of places", () => {
    expect(JSON.stringify(read("which sailor had the most wins in 2024"))).not.toContain('"n":2024');
  });

  it("does not pass over what is still to come", () => {
    expect(read("how many regattas are still to come this year")).toHaveProperty("missing");
  });
});

/** One table as it comes from a file: rows have no name, and nobody said what they are called. */
const TABLE: VisibleModel = {
  ...MODEL,
  name: "taxis",
  datasets: [
    dataset("taxis", ["row_number"], NO_AI, [
      field("row_number", "BIGINT"),
      { ...field("pickup", "TIMESTAMP"), isTime: true },
      field("color", "VARCHAR"),
      field("payment", "VARCHAR"),
      field("driver", "VARCHAR"),
      field("distance", "DOUBLE"),
      field("luggage_weight_kg", "DOUBLE"),
      field("temp_min", "DOUBLE", { ai: called("temperature") }),
      field("temp_max", "DOUBLE", { ai: called("temperature") }),
    ]),
  ],
  relationships: [],
  metrics: [metric("taxis_count", "COUNT(taxis.row_number)", "Integer")],
};
const table = buildKnowledge(TABLE, [
  { ds: "taxis", field: "color", values: ["yellow", "green"], isCut: false },
  { ds: "taxis", field: "payment", values: ["cash", "credit card"], isCut: false },
]);
const said = (text: string) => JSON.stringify(read(text, table));

describe("a table in everyday words", () => {
  it("takes a noun that nothing carries for its rows only where they are counted or chosen", () => {
    const all = read("how many taxis", table);
    for (const text of ["how many trips were there", "number of rides", "wie viele Fahrten gab es"])
      expect(read(text, table)).toEqual(all);
    expect(said("how many yellow trips were there")).toContain('"values":["yellow"]');
    for (const text of [
      "how many passengers were there",
      "which cashier had the most trips",
      "costs by color",
    ])
      expect(read(text, table), text).toHaveProperty("missing");
    const asked = understand(
      { text: "how many regattas", now: "2026-07-01T12:00:00", timeZone: "Europe/Berlin" },
      table,
    );
    expect(asked.unclear).toMatchObject([{ suggestions: ["taxis"], word: "regattas" }]);
    const { readings } = understand(
      { text: "how many trips", now: "2026-07-01T12:00:00", timeZone: "Europe/Berlin" },
      table,
    );
    expect(readings[0]?.assumptions).toMatchObject([{ choice: '"trips" are the rows of taxis' }]);
  });

  it("compares by what an adjective measures, and by the end that it speaks of", () => {
    expect(said("what is the longest trip")).toContain('"by":{"ds":"taxis","field":"distance"},"dir":"max"');
    expect(said("der schwerste Fahrgast")).toContain("missing");
    expect(said("the heaviest trip")).toContain('"field":"luggage_weight_kg"');
    expect(said("how many trips were heavier than 500 g")).toContain('"v":0.5');
    expect(said("the coldest trip")).toContain('"by":{"ds":"taxis","field":"temp_min"},"dir":"min"');
    expect(said("die wärmste Fahrt")).toContain('"by":{"ds":"taxis","field":"temp_max"},"dir":"max"');
  });

  it("gives the share of a value in all rows", () => {
    const share = said("share of cash payments");
    expect(share).toContain('"op":"/"');
    expect(share).toContain('"values":["cash"]');
    expect(said("what percentage of trips was paid in cash")).toContain('"values":["cash"]');
  });

  it("knows hours of moments, and who there is only one column of", () => {
    expect(said("number of trips by hour")).toContain('"part":"hour"');
    expect(said("what is the busiest hour of the day")).toContain('"part":"hour"');
    expect(said("an welchem Wochentag gibt es die meisten Fahrten")).toContain('"part":"weekday"');
    expect(said("who had the most trips")).toContain('"by":[{"ds":"taxis","field":"driver"}]');
  });
});
