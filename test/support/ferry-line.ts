import type { Context } from "../../src/domains/agent/follow-up/context.ts";
import { buildKnowledge, type FieldValues } from "../../src/domains/agent/knowledge/build-knowledge.ts";
import { datesIn } from "../../src/domains/agent/understand/candidates/dates.ts";
import { understand } from "../../src/domains/agent/understand/understand.ts";
import type { VisibleModel } from "../../src/domains/models/index.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

function field(name: string, type: string, ai = NO_AI, description: string | null = null) {
  const isTime = type === "DATE" ? true : type === "VARCHAR" ? false : null;
  return { name, type, isTime, ai, description, label: null, dataType: null, distinctValues: [], sql: null };
}

function dataset(name: string, key: string, ai: typeof NO_AI, fields: ReturnType<typeof field>[]) {
  const all = [field(key, "BIGINT"), ...fields];
  return {
    name,
    source: name,
    description: null,
    ai,
    primaryKey: [key],
    uniqueKeys: [],
    rowCount: null,
    fields: all,
  };
}

function link(from: string, to: string, column: string, key = column) {
  return { name: `${from}_${column}`, from, to, fromColumns: [column], toColumns: [key], ai: NO_AI };
}

function metric(name: string, sql: string, dataType: "Integer" | "Decimal", ai = NO_AI) {
  return { name, description: null, dataType, ai, sql, type: "DOUBLE" };
}

/** A ferry line: ships and captains with their crossings, and the tickets that were sold for them. */
const MODEL: VisibleModel = {
  id: "m",
  name: "ferries",
  version: 1,
  description: null,
  ai: {
    ...NO_AI,
    instructions:
      "Active ships, without a period, means the last 12 months. Dates: takings and passengers go by crossed on.",
  },
  datasets: [
    dataset("ships", "ship_id", called("ship", "Schiff"), [
      field("ship_name", "VARCHAR", called("ship", "Schiff")),
      field("build", "VARCHAR", called("class", "Bauart")),
      field("flag", "VARCHAR", called("Flagge")),
    ]),
    dataset("captains", "captain_id", called("captain", "Kapitän"), [
      field("captain_name", "VARCHAR", called("captain", "Kapitän")),
      field("chief_id", "BIGINT"),
    ]),
    dataset("crossings", "crossing_id", called("crossing", "Überfahrt"), [
      field("ship_id", "BIGINT"),
      field("captain_id", "BIGINT"),
      field("crossed_on", "DATE"),
      field("delay_minutes", "DOUBLE", called("delay"), "Delay in minutes"),
      field("weather", "VARCHAR", called("Wetter")),
    ]),
    dataset("tickets", "ticket_id", called("ticket"), [
      field("crossing_id", "BIGINT"),
      field("fare", "VARCHAR", called("Tarif")),
      field("price", "DOUBLE"),
    ]),
  ],
  relationships: [
    link("crossings", "ships", "ship_id"),
    link("crossings", "captains", "captain_id"),
    link("captains", "captains", "chief_id", "captain_id"),
    link("tickets", "crossings", "crossing_id"),
  ],
  metrics: [
    metric("takings", "SUM(tickets.price)", "Decimal", called("Einnahmen", "total")),
    metric("passengers", "COUNT(tickets.ticket_id)", "Integer", called("Fahrgäste")),
    metric("average_delay", "AVG(crossings.delay_minutes)", "Decimal", called("mean delay", "Verspätung")),
    metric("active_ships", "COUNT(DISTINCT crossings.ship_id)", "Integer"),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "ships", field: "ship_name", values: ["Baltica", "Mistral", "Nordkapp"], isCut: false },
  { ds: "ships", field: "build", values: ["Catamaran", "Steamer"], isCut: false },
  { ds: "ships", field: "flag", values: ["Danish", "Estonian", "Swedish"], isCut: false },
  { ds: "crossings", field: "weather", values: ["calm", "stormy"], isCut: false },
  { ds: "tickets", field: "fare", values: ["adult", "child"], isCut: false },
  { ds: "captains", field: "captain_name", values: ["Aino Kask", "Jon Berg"], isCut: false },
];

const knowledge = buildKnowledge(MODEL, VALUES);
const MOMENT = { now: "2026-07-15T12:00:00", timeZone: "Europe/Berlin" };

/** What there is to understand a follow-up with, where the answers before showed these names. */
export function ferryContext(shown: readonly string[] = []): Context {
  return {
    knowledge,
    read: async (text) => understand({ text, ...MOMENT }, knowledge),
    dates: (text) => datesIn({ text, ...MOMENT }, knowledge),
    rows: async () => shown.map((name) => [name, 1]),
  };
}
