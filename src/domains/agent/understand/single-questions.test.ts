import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { compile } from "../compile/compile.ts";
import { say } from "../explain/say.ts";
import { buildKnowledge, type FieldValues } from "../knowledge/build-knowledge.ts";
import { understand } from "./understand.ts";

type Dataset = VisibleModel["datasets"][number];

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

/** `name TYPE: synonym, synonym`, and what it means behind a bar. */
function field(written: string): Dataset["fields"][number] {
  const [head = "", description] = written.split(" | ");
  const [name = "", type = "", ...synonyms] = head.split(/[ ,]+/);
  return {
    name,
    type,
    isTime: /^(DATE|TIMESTAMP)$/.test(type) ? true : type === "VARCHAR" ? false : null,
    ai: called(...synonyms.map((synonym) => synonym.replaceAll("_", " "))),
    description: description ?? null,
    label: null,
    dataType: null,
    distinctValues: [],
    sql: null,
  };
}

function dataset(name: string, primaryKey: string[], synonyms: string[], fields: string[]): Dataset {
  const none = { description: null, uniqueKeys: [], rowCount: null };
  return { name, source: name, ai: called(...synonyms), primaryKey, fields: fields.map(field), ...none };
}

function link(name: string, from: string, to: string, columns: [string, string], ...synonyms: string[]) {
  return { name, from, to, fromColumns: [columns[0]], toColumns: [columns[1]], ai: called(...synonyms) };
}

function metric(name: string, dataType: "Decimal" | "Integer", sql: string, ...synonyms: string[]) {
  return { name, description: null, dataType, ai: called(...synonyms), sql, type: "DOUBLE" };
}

const SAILED = "CASE WHEN bookings.status = 'sailed' THEN legs.price END";

/** Ferries: guests book legs from ports; islands stand in a row for each port that they have; crews report to chiefs. */
const MODEL: VisibleModel = {
  id: "m",
  name: "ferries",
  version: 1,
  description: "Ferries of a small company. All money is in euros.",
  ai: {
    ...NO_AI,
    instructions:
      "A guest sailed something if it is in a sailed booking. Place: the country or town of a booking is that of the guest, unless the question speaks of ports. Dates: fares and bookings go by booking date.",
  },
  datasets: [
    dataset(
      "ports",
      ["port_id"],
      ["port", "harbour"],
      ["port_id BIGINT", "port_name VARCHAR port", "town VARCHAR", "country VARCHAR", "quay_length DOUBLE"],
    ),
    dataset(
      "guests",
      ["guest_id"],
      ["guest"],
      [
        "guest_id BIGINT",
        "guest_name VARCHAR guest",
        "town VARCHAR",
        "country VARCHAR",
        "joined_date DATE joined",
      ],
    ),
    dataset(
      "bookings",
      ["booking_id"],
      ["booking"],
      [
        "booking_id BIGINT",
        "booking_date DATE",
        "guest_id BIGINT",
        "port_id BIGINT",
        "status VARCHAR",
        "cabin VARCHAR cabin_class",
        "advance VARCHAR",
      ],
    ),
    dataset(
      "legs",
      ["leg_id"],
      ["leg"],
      ["leg_id BIGINT", "booking_id BIGINT", "price DOUBLE", "vessel VARCHAR ship"],
    ),
    dataset(
      "crew",
      ["crew_id"],
      ["sailor"],
      ["crew_id BIGINT", "crew_name VARCHAR sailor", "rank VARCHAR", "chief_id BIGINT"],
    ),
    dataset(
      "islands",
      [],
      ["island"],
      ["island_name VARCHAR island", "coast DOUBLE coast_length | Coast in kilometres", "port_id BIGINT"],
    ),
    dataset(
      "complaints",
      ["complaint_id"],
      ["complaint"],
      [
        "complaint_id BIGINT",
        "guest_id BIGINT",
        "raised_at TIMESTAMP raised",
        "settled_at TIMESTAMP settled | When it was settled; empty while it is open",
        "settling_hours DOUBLE | Hours from raising to settling",
      ],
    ),
  ],
  relationships: [
    link("booking_of_guest", "bookings", "guests", ["guest_id", "guest_id"]),
    link("booking_from_port", "bookings", "ports", ["port_id", "port_id"]),
    link("leg_in_booking", "legs", "bookings", ["booking_id", "booking_id"]),
    link("crew_under", "crew", "crew", ["chief_id", "crew_id"], "chief", "reports to"),
    link("island_with_port", "islands", "ports", ["port_id", "port_id"]),
    link("complaint_of_guest", "complaints", "guests", ["guest_id", "guest_id"]),
  ],
  metrics: [
    metric("fares", "Decimal", `SUM(${SAILED})`, "takings"),
    metric("average_fare", "Decimal", `AVG(${SAILED})`),
    metric("gross_profit", "Decimal", `SUM(${SAILED}) - COUNT(legs.leg_id)`, "profit"),
    metric("booking_count", "Integer", "COUNT(DISTINCT bookings.booking_id)", "bookings"),
    metric(
      "sailed_bookings",
      "Integer",
      "COUNT(DISTINCT CASE WHEN bookings.status = 'sailed' THEN bookings.booking_id END)",
    ),
    metric(
      "average_settling",
      "Decimal",
      "AVG(complaints.settling_hours)",
      "settling time",
      "crew calm",
      "relaxed",
    ),
    metric("complaint_count", "Integer", "COUNT(DISTINCT complaints.complaint_id)", "complaints"),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "ports", field: "port_name", values: ["Norddeich", "Emden Quay"], isCut: false },
  { ds: "ports", field: "town", values: ["Norden", "Emden"], isCut: false },
  { ds: "ports", field: "country", values: ["Germany", "Denmark"], isCut: false },
  { ds: "guests", field: "guest_name", values: ["Ida Holm", "Per Brandt"], isCut: false },
  { ds: "guests", field: "town", values: ["Emden", "Aarhus", "Bremen"], isCut: false },
  { ds: "guests", field: "country", values: ["Germany", "Denmark", "Norway"], isCut: false },
  { ds: "bookings", field: "status", values: ["sailed", "cancelled", "waiting"], isCut: false },
  { ds: "bookings", field: "cabin", values: ["Deluxe", "Standard", "Deck"], isCut: false },
  { ds: "bookings", field: "advance", values: ["No Deposit", "Paid"], isCut: false },
  { ds: "crew", field: "rank", values: ["Mate", "Captain"], isCut: false },
  { ds: "crew", field: "crew_name", values: ["Ole Lund", "Eva Dahl"], isCut: false },
  { ds: "islands", field: "island_name", values: ["Juist", "Borkum", "Baltrum"], isCut: false },
  { ds: "legs", field: "vessel", values: ["Frisia", "Langeoog"], isCut: false },
];

const KNOWLEDGE = buildKnowledge(MODEL, VALUES);
const read = (text: string) => understand({ text, now: "2026-05-20T12:00:00", timeZone: "UTC" }, KNOWLEDGE);

/** What was understood, in words; what compiles is at least no nonsense. */
function saidBack(text: string): string {
  const { readings, missing, unclear } = read(text);
  const [best] = readings;
  if (best === undefined || missing.length + unclear.length > 0) return "refused";
  compile(KNOWLEDGE.schema, best.ask);
  return say(best.ask);
}

describe("two periods side by side", () => {
  it.each([
    ["fares 2024 compared with 2025", "fares in 2025 and fares in 2024"],
    ["fares in 2025 vs 2024", "fares in 2025 and fares in 2024"],
    ["fares in March and May 2025", "fares in May 2025 and fares in March 2025"],
    ["growth of fares from 2024 to 2025", "growth of fares from 2024 to 2025"],
    ["Fares 2024 verglichen mit 2025", "fares in 2025 and fares in 2024"],
  ])("have the earlier one as the base: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("months of two years", () => {
  const months = "fares and fares the year before by month in 2025";
  it.each([
    ["fares by month in 2025 vs 2024", months],
    ["monthly fares 2025 compared with 2024", months],
    ["Fares pro Monat 2025 im Vergleich zu 2024", months],
    ["fares by quarter in 2025 vs 2023", "fares and fares 2 years before by quarter in 2025"],
    ["fares by month in Q1 2025 vs Q1 2024", "fares and fares the year before by month in Q1 2025"],
    ["fares by week in 2025 vs 2024", "fares by week in 2024 and 2025"],
    ["fares by month in 2024 and 2025", "fares by month in 2024 and 2025"],
  ])("stand beside each other: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("a number per something", () => {
  it.each([
    ["fares per booking in 2025", "fares per booking count where booking status is sailed in 2025"],
    ["Fares pro Buchung", "fares per booking count where booking status is sailed"],
    ["takings per leg", "fares per leg where booking status is sailed"],
    ["sailed bookings per booking", "sailed bookings per booking count"],
    ["complaints per booking", "number of complaints per booking"],
    ["fares per cancelled booking", "refused"],
  ])("is divided by the rows that it is made of: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });

  it.each([
    ["fares per guest by country in 2025", "average fares for each guest by country in 2025"],
    ["bookings per guest by town", "average booking count for each guest by town"],
    ["average takings per guest by town", "average fares for each guest by town"],
    ["fares per guest by cabin", "fares by guest and cabin"],
  ])("is that of one of them, by what each has one of: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });

  it("is no average that is divided once more", () => {
    expect(saidBack("average fare per booking")).not.toContain("average fare per");
  });
});

describe("places", () => {
  it.each([
    "in how many countries did guests sail in 2025",
    "how many towns do our bookings come from",
    "bookings from Emden or in Deluxe",
    "fares in Germany or of vessel Frisia",
  ])("are those that the author says: %s", (text) => {
    const [best] = read(text).readings;
    const said = JSON.stringify(best?.ask);
    expect(said).toMatch(/"ds":"guests","field":"(town|country)"/);
    expect(said).not.toMatch(/"ds":"ports","field":"(town|country)"/);
  });
});

describe("one thing or another", () => {
  it.each([
    [
      "fares in Norway or of vessel Frisia in 2025",
      "fares where either guest country is Norway or leg vessel is Frisia in 2025",
    ],
    [
      "fares in Norway or Denmark or of vessel Frisia",
      "fares where either guest country is Norway or Denmark or leg vessel is Frisia",
    ],
    ["bookings in Deluxe or Deck", "booking count where booking cabin is Deluxe or Deck"],
    [
      "how many guests are from Bremen or Aarhus in Norway",
      "number of guests where guest town is Bremen or Aarhus and guest country is Norway",
    ],
    [
      "Fares in Dänemark oder der Kabine Deck",
      "fares where either guest country is Denmark or booking cabin is Deck",
    ],
    ["fares in Norway or of cancelled bookings", "refused"],
    ["guests from Norway or with complaints", "refused"],
    ["guests from neither Bremen nor Aarhus", "guests where guest town is not Bremen or Aarhus"],
    [
      "bookings neither cancelled nor waiting",
      "booking count where booking status is not cancelled or waiting",
    ],
    [
      "bookings neither in Deluxe nor from Norway",
      "booking count where not (either booking cabin is Deluxe or guest country is Norway)",
    ],
    ["Gäste weder aus Bremen noch aus Aarhus", "guests where guest town is not Bremen or Aarhus"],
    ["bookings not in Deluxe or Deck", "booking count where booking cabin is not Deluxe or Deck"],
  ])("is no and: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("two values of one field", () => {
  it.each([
    "fares in Deluxe per Deck booking",
    "how many cancelled bookings are sailed bookings",
    "sailed bookings that are waiting",
    "guests from Bremen who are from Aarhus",
  ])("are no row's: %s", (text) => {
    expect(JSON.stringify(read(text).readings)).not.toMatch(
      /Deluxe.*Deck|cancelled.*sailed|sailed.*waiting|Bremen.*Aarhus/,
    );
  });
});

describe("what was done", () => {
  it.each([
    ["settled complaints", "complaint count where complaint settled at is not empty"],
    [
      "settled complaints in 2025",
      "complaint count where complaint settled at is not empty in 2025 by settled at",
    ],
    ["raised complaints in 2025", "complaint count in 2025"],
    ["guests with settled complaints", "guests with complaints where complaint settled at is not empty"],
    ["complaints settled within a day", "complaint count where complaint settling hours is at most 24"],
    ["complaints settled in under an hour", "complaint count where complaint settling hours is less than 1"],
    ["joined guests", "guests where guest joined date is not empty"],
    ["bookings within a week of joining", "refused"],
  ])("is a condition and no column to be listed: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("periods", () => {
  it.each([
    ["fares from 2024 on", "fares, from 1 Jan 2024 on"],
    ["fares from 2024 on by month", "fares by month, from 1 Jan 2024 on"],
    ["fares from 2024 in Deluxe", "fares where booking cabin is Deluxe in 2024"],
    ["Fares von 2024 an", "fares, from 1 Jan 2024 on"],
    ["fares up to and including 2024", "fares, up to 31 Dec 2024"],
    ["bookings so far this month", "booking count from 1 to 20 May 2026"],
    ["bookings this quarter so far", "booking count from 1 Apr to 20 May 2026"],
    ["how many bookings were late in 2025", "refused"],
    ["bookings late in 2025", "booking count from 1 Sep to 31 Dec 2025"],
  ])("%s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("a day that no calendar has", () => {
  it.each(["fares on 31 February 2025", "Fares am 31.06.2025"])("is what is missing: %s", (text) => {
    const { readings, missing } = read(text);
    expect(readings).toEqual([]);
    expect(missing).toMatchObject([{ isAbsent: true }]);
  });
});

describe("ranges", () => {
  it.each([
    ["guests with fares between 1 and 2 thousand", "1,000", "2,000"],
    ["guests with fares between one and two thousand", "1,000", "2,000"],
    ["guests with fares between 500 and 2 thousand", "500", "2,000"],
    ["guests with fares between 5 and 20k", "5,000", "20,000"],
    ["Gäste mit Fares zwischen 1 und 2 Tausend", "1,000", "2,000"],
  ])("have the unit of the second number in the first: %s", (text, from, to) => {
    expect(saidBack(text)).toContain(`fares is at least ${from} and fares is at most ${to}`);
  });
});

describe("those of each", () => {
  it.each([
    ["how many sailors report to each Captain sailor", "number of crew by crew where crew rank is Captain"],
    ["number of sailors by chief", "number of crew by chief"],
    ["who is the chief of Ole Lund", "chief of Ole Lund"],
    ["number of guests per guest", "refused"],
    ["guests with their largest booking", "refused"],
    ["ports and their best month by fares", "refused"],
  ])("are told apart by what they are of: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });

  it("are reached by the link that was said", () => {
    const [best] = read("how many sailors report to each Captain sailor").readings;
    const path = [{ link: "crew_under", dir: "one" }];
    expect(best?.ask).toMatchObject({
      by: [{ field: "crew_name", path }],
      scope: { if: { key: { field: "rank", path } } },
    });
  });
});

describe("who did something", () => {
  const byCabin = "number of different guests of bookings by cabin";
  it.each([
    ["guests per cabin class", byCabin],
    ["Gäste pro Kabine", byCabin],
    ["how many guests in each cabin class", byCabin],
    ["which cabin class has the most guests", `${byCabin}, the highest`],
    ["guests by port", "number of different guests of bookings by port"],
    ["guests by country", "number of guests by country"],
    ["how many guests booked per month in 2025", "number of different guests of bookings by month in 2025"],
    [
      "how many guests from Norway booked per month",
      "number of different guests of bookings by month where guest country is Norway",
    ],
    [
      "number of guests who joined per month",
      "number of guests where guest joined date is not empty by month",
    ],
  ])("is counted once for each of what it was done in: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("units", () => {
  it.each([
    ["fares in 2025 in thousand euros", "fares in thousand euros in 2025"],
    ["fares in millions", "fares in millions"],
    ["Fares 2025 in Tausend Euro", "fares in thousand € in 2025"],
    ["fares in euros", "fares"],
    ["fares in dollars", "refused"],
    ["guests with fares over 100 dollars", "refused"],
    ["guests with fares over $100", "refused"],
    ["complaints per 100 bookings", "number of complaints per 100 bookings"],
  ])("are said, and none is made up: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("the form of an answer", () => {
  it.each([
    ["which fares did we have in 2025", "fares in 2025"],
    ["what fares did we have in 2025", "fares in 2025"],
    ["welche Fares hatten wir 2025", "fares in 2025"],
    ["guests in Deluxe who never booked", "refused"],
    ["guests in Deck who never booked anything", "refused"],
    ["guests without bookings in Deluxe", "guests without bookings where booking cabin is Deluxe"],
    ["Welche Gäste haben in Deluxe nicht gebucht?", "guests without bookings where booking cabin is Deluxe"],
  ])("is that of the question: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("numbers by their names", () => {
  it.each([
    ["median settling time", "median settling hours of complaints"],
    ["median settling time by month in 2025", "median settling hours of complaints by month in 2025"],
    ["average settling time", "average settling"],
    ["how relaxed are our sailors", "average settling"],
    ["which sailors are relaxed", "refused"],
    ["how many sailors are relaxed", "refused"],
  ])("are of what they are made and called: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("a name with another word before it", () => {
  it.each([
    ["average list price", "refused"],
    ["which vessel has the highest list price", "refused"],
    ["average unit price", "average price of legs"],
    ["net income in 2025", "refused"],
    ["net earnings by month", "refused"],
    ["profit in 2025", "gross profit in 2025"],
    ["list ports in Denmark", "ports where port country is Denmark"],
  ])("is no other one: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("a word that belongs to another thing", () => {
  it.each([
    ["fares of Ida Holm's team in 2025", "refused"],
    ["how many sailed bookings", "sailed bookings"],
  ])("is not left out: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("the opposite of what is known", () => {
  it.each([
    ["unsettled complaints", "complaint count where complaint settled at is empty"],
    ["how many complaints are still unsettled", "complaint count where complaint settled at is empty"],
    ["uncancelled bookings in 2025", "booking count where booking status is not cancelled in 2025"],
    ["non-sailed bookings in 2025", "booking count where booking status is not sailed in 2025"],
    ["ungeklärte Beschwerden", "refused"],
    ["unsailed legs", "legs where booking status is not sailed"],
    ["unboarded bookings", "refused"],
    ["how many bookings with a deposit", "number of bookings where booking advance is not No Deposit"],
    ["how many bookings without deposit", "number of bookings where booking advance is No Deposit"],
  ])("is meant by its words: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("a word that says how something stands", () => {
  it.each([
    ["how many guests are still in the programme", "refused"],
    ["how many complaints do we still have open", "number of complaints where complaint settled at is empty"],
    ["which bookings are still waiting", "bookings where booking status is waiting"],
    ["how far is each guest from its fares", "refused"],
    ["how much more do we need to reach the fares of 2025", "refused"],
    ["how many guests are there for islands", "refused"],
    ["guests without a Deck", "refused"],
    ["what did Ida Holm complain", "refused"],
    ["the largest booking of each month in 2025", "refused"],
    ["fares in the week before Christmas 2025", "fares from 18 to 24 Dec 2025"],
  ])("is not left out: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});

describe("what is numbered", () => {
  it.each([
    ["booking numbers of cancelled bookings in 2025", "bookings where booking status is cancelled in 2025"],
    ["the number of the latest booking", "the latest bookings by booking date"],
    ["the booking number of the latest booking", "the latest bookings by booking date"],
    ["number of bookings in 2025", "booking count in 2025"],
    ["how many sailors report to Ole Lund", "number of crew of Ole Lund"],
  ])("is called by its number, and one is not counted: %s", (text, said) => {
    expect(saidBack(text)).toBe(said);
  });
});
