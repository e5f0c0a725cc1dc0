import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../../../models/index.ts";
import { buildKnowledge, type FieldValues } from "../../../knowledge/build-knowledge.ts";
import { understand } from "../../understand.ts";
import { languagesOf } from "../languages.ts";
import { foldGerman, stemGerman } from "./stem.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

function field(name: string, type: string, ai = NO_AI) {
  const isTime = type === "DATE" ? true : type === "VARCHAR" ? false : null;
  return {
    name,
    type,
    isTime,
    ai,
    description: null,
    label: null,
    dataType: null,
    distinctValues: [],
    sql: null,
  };
}

function dataset(name: string, primaryKey: string[], ai: typeof NO_AI, fields: ReturnType<typeof field>[]) {
  return { name, source: name, description: null, ai, primaryKey, uniqueKeys: [], rowCount: null, fields };
}

function link(name: string, from: string, to: string, column: string) {
  return { name, from, to, fromColumns: [column], toColumns: [column], ai: NO_AI };
}

function metric(name: string, sql: string, ...synonyms: string[]) {
  return { name, description: null, dataType: null, ai: called(...synonyms), sql, type: "DOUBLE" };
}

/** An English model without a German word, but for one synonym that no glossary has. */
const MODEL: VisibleModel = {
  id: "m",
  name: "bakery",
  version: 1,
  description: "A bakery. All money is in euros.",
  ai: {
    ...NO_AI,
    instructions:
      "Dates: revenue and orders go by order date. A customer bought something if it is in a completed order.",
  },
  datasets: [
    dataset("stores", ["store_id"], called("store"), [
      field("store_id", "BIGINT"),
      field("store_name", "VARCHAR", called("store")),
      field("city", "VARCHAR"),
      field("country", "VARCHAR"),
      field("floor_area", "BIGINT", called("size")),
      field("opened_date", "DATE", called("opening date")),
    ]),
    dataset("customers", ["customer_id"], called("customer"), [
      field("customer_id", "BIGINT"),
      field("customer_name", "VARCHAR", called("customer")),
      field("segment", "VARCHAR"),
      field("signup_date", "DATE", called("registered")),
    ]),
    dataset("products", ["product_id"], called("product"), [
      field("product_id", "BIGINT"),
      field("product_name", "VARCHAR", called("product")),
      field("category", "VARCHAR", called("Backwarensparte")),
      field("list_price", "DOUBLE"),
    ]),
    dataset("orders", ["order_id"], called("order"), [
      field("order_id", "BIGINT"),
      field("order_date", "DATE"),
      field("customer_id", "BIGINT"),
      field("store_id", "BIGINT"),
      field("status", "VARCHAR"),
    ]),
    dataset("order_items", ["order_id", "product_id"], called("order item"), [
      field("order_id", "BIGINT"),
      field("product_id", "BIGINT"),
      field("quantity", "BIGINT"),
      field("amount", "DOUBLE"),
    ]),
  ],
  relationships: [
    link("order_of_customer", "orders", "customers", "customer_id"),
    link("order_in_store", "orders", "stores", "store_id"),
    link("item_of_order", "order_items", "orders", "order_id"),
    link("item_of_product", "order_items", "products", "product_id"),
  ],
  metrics: [
    metric("revenue", "SUM(order_items.amount)", "sales"),
    metric("units_sold", "SUM(order_items.quantity)", "units"),
    metric("order_count", "COUNT(DISTINCT orders.order_id)", "number of orders"),
    metric("target_attainment", "SUM(order_items.amount) / SUM(stores.target)", "attainment"),
    metric("average_order_value", "SUM(order_items.amount) / COUNT(DISTINCT orders.order_id)"),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "stores", field: "store_name", values: ["Old Mill", "Harbour"], isCut: false },
  { ds: "stores", field: "city", values: ["Zürich", "Mainz"], isCut: false },
  { ds: "stores", field: "country", values: ["Germany", "Switzerland"], isCut: false },
  { ds: "customers", field: "customer_name", values: ["Jörg Mueller", "Anna Weiß"], isCut: false },
  { ds: "customers", field: "segment", values: ["Consumer", "Business"], isCut: false },
  { ds: "products", field: "product_name", values: ["Rye", "Bun"], isCut: false },
  { ds: "products", field: "category", values: ["Bread", "Cake"], isCut: false },
  { ds: "orders", field: "status", values: ["completed", "cancelled"], isCut: false },
];

const KNOWLEDGE = buildKnowledge(MODEL, VALUES);
const read = (text: string) => understand({ text, now: "2026-05-20", timeZone: "UTC" }, KNOWLEDGE);

function askOf(text: string): unknown {
  const { readings, missing, unclear } = read(text);
  expect({ text, missing, unclear }).toEqual({ text, missing: [], unclear: [] });
  return readings[0]?.ask;
}

describe("a German question is read like the English one", () => {
  it.each([
    ["Umsatz 2025", "revenue 2025"],
    ["Wie hoch war der Gesamtumsatz im letzten Quartal?", "what was the total revenue last quarter"],
    ["Umsatz nach Filiale im März 2026", "revenue by store in March 2026"],
    ["Umsatz pro Land seit Januar 2025", "revenue per country since January 2025"],
    ["Anzahl der Bestellungen je Status", "number of orders per status"],
    ["wie viele Kunden gibt es in jedem Segment", "how many customers are there in each segment"],
    ["durchschnittlicher Bestellwert 2025", "average order value 2025"],
    ["Durchschnitt der Listenpreise", "average list price"],
    ["Median des Listenpreises unserer Produkte", "median list price of our products"],
    ["Umsatz 2025 im Vergleich zum Vorjahr", "revenue 2025 compared with the year before"],
    ["Umsatzwachstum 2025 gegenüber 2024", "revenue growth 2025 over 2024"],
    ["Umsatzanteil der einzelnen Kategorien 2025", "revenue share of each category in 2025"],
    ["Welcher Anteil des Umsatzes 2025 kam aus Deutschland?", "what share of 2025 revenue came from Germany"],
    ["Umsatz 2025 ohne Deutschland", "revenue 2025 without Germany"],
    ["die 3 umsatzstärksten Produkte 2025", "3 products with the highest revenue in 2025"],
    ["Die drei umsatzschwächsten Filialen", "3 stores with the lowest revenue"],
    ["Welche Filiale hatte 2025 am meisten Umsatz?", "which store had the most revenue in 2025"],
    ["Top 5 Kunden nach Umsatz letztes Jahr", "top 5 customers by revenue last year"],
    ["das Produkt mit dem höchsten Umsatz je Filiale", "the product with the highest revenue by store"],
    ["Kunden mit mehr als 60.000 € Umsatz", "customers with more than 60000 revenue"],
    ["Kunden mit mindestens 5 Bestellungen in 2025", "customers with at least 5 orders in 2025"],
    ["Filialen mit höchstens 20 Bestellungen", "stores with at most 20 orders"],
    ["Wie viele Bestellungen wurden 2025 storniert?", "how many orders were cancelled in 2025"],
    ["Welche Kunden haben noch nie bestellt?", "which customers never ordered"],
    ["Welche Kunden haben in Mainz nicht gekauft?", "which customers did not buy in Mainz"],
    ["Kunden, die 2024 gekauft haben, aber 2025 nicht", "customers who bought in 2024 but not in 2025"],
    [
      "wie viele verschiedene Produkte haben wir 2025 verkauft",
      "how many different products did we sell in 2025",
    ],
    ["kumulierter Umsatz nach Monat in 2025", "running total of revenue by month in 2025"],
    ["Umsatz von Januar bis März 2025 nach Kategorie", "revenue from January to March 2025 by category"],
    ["Umsatz in KW 12 2026", "revenue in week 12 2026"],
    ["Stück pro Bestellung 2025", "units per order in 2025"],
    ["Kannst du mir bitte den Umsatz pro Filiale zeigen?", "can you please show me the revenue per store"],
    ["revenue nach store 2025", "revenue by store 2025"],
    ["Kunden, die sich im März 2026 registriert haben", "customers who registered in March 2026"],
    ["Welche Filialen wurden 2025 aufgemacht?", "which stores were opened in 2025"],
    ["Welche Filialen haben wir 2025 neu eröffnet?", "which stores did we open in 2025"],
    ["Welche Filialen eröffneten wir 2025 neu?", "which stores did we open in 2025"],
    ["Wann hat die größte Filiale aufgemacht?", "when was the largest store opened"],
    [
      "In welchen Monaten 2025 lag der Umsatz über 500 Euro?",
      "in which months of 2025 was revenue above 500",
    ],
    ["In welchen Ländern liegt der Umsatz unter 500 Euro?", "in which countries is revenue below 500"],
    ["Was war 2025 der umsatzstärkste Monat?", "which month of 2025 had the highest revenue"],
    ["Welches Produkt war 2025 das umsatzschwächste?", "which product had the lowest revenue in 2025"],
    ["Der zweitbeste Monat nach Umsatz 2025", "the second best month by revenue in 2025"],
    [
      "Wie viele Kunden haben 2025 mehr als fünfmal gekauft?",
      "how many customers bought more than 5 times in 2025",
    ],
    ["Kunden, die 2025 mindestens dreimal bestellt haben", "customers who ordered at least 3 times in 2025"],
    ["Wie viele Kunden haben 2025 nur einmal gekauft?", "how many customers bought only once in 2025"],
    ["Welche Filialen haben 2025 ihr Ziel verfehlt?", "which stores missed their target in 2025"],
    ["Filialen, die 2025 ihr Ziel nicht erreicht haben", "stores that missed their target in 2025"],
    ["Welche Filialen haben 2025 ihr Umsatzziel übertroffen?", "which stores exceeded their target in 2025"],
    ["Hat die Filiale Harbour 2025 ihr Ziel erreicht?", "did the store Harbour reach its target in 2025"],
    [
      "durchschnittlicher Bestellwert je Kundensegment 2025",
      "average order value by customer segment in 2025",
    ],
    ["nicht stornierte Bestellungen 2025", "non-cancelled orders in 2025"],
    ["Kunden, die sowohl Bread als auch Cake gekauft haben", "customers who bought both Bread and Cake"],
    [
      "Produkte, die seit Januar 2026 nicht mehr verkauft wurden",
      "products that were not sold since January 2026",
    ],
    ["Wie viele Bestellungen gingen 2025 nach Deutschland?", "how many orders in 2025 in Germany"],
    ["An wie vielen Tagen 2025 lag der Umsatz über 500 Euro?", "how many days in 2025 had revenue above 500"],
    ["Produkte mit einem Listenpreis bis 20 Euro", "products with a list price of at most 20"],
    ["Differenz zwischen Umsatz und Stück je Land", "difference between revenue and units by country"],
  ])("%s = %s", (german, english) => {
    const ask = askOf(english);
    expect(ask).toBeDefined();
    expect(withoutWords(askOf(german))).toEqual(withoutWords(ask));
  });

  /** Periods are the same, however they were said. */
  function withoutWords(ask: unknown): unknown {
    return JSON.parse(JSON.stringify(ask, (key, value) => (key === "said" ? undefined : value)));
  }

  it.each([
    ["Umsaetze fuer Zuerich", "Umsätze für Zürich"],
    ["Umsatz von Jörg Müller", "Umsatz von Joerg Mueller"],
    ["Umsatz von Anna Weiss", "Umsatz von Anna Weiß"],
    ["Monatsumsätze 2025", "monatlicher Umsatz 2025"],
    ["Durchschnittlicher Monatsumsatz 2025", "durchschnittlicher monatlicher Umsatz 2025"],
    ["Produktumsatz der Business-Kunden", "Umsatz der Produkte der Business Kunden"],
    ["Umsatz nach Backwarensparten", "Umsatz nach Kategorie"],
    ["Wie viel Umsatz brachte die Filiale Old Mill ein?", "Umsatz der Filiale Old Mill"],
    [
      "Welches Produkt legte 2025 beim Umsatz am stärksten zu?",
      "Welches Produkt ist 2025 beim Umsatz am stärksten gewachsen?",
    ],
    [
      "Durchschnittliche Anzahl an Bestellungen pro Kunde",
      "Wie viele Bestellungen macht ein Kunde im Schnitt?",
    ],
    ["Liste der Filialen mit Eröffnungsdatum", "Filialen mit Eröffnungsdatum"],
    ["Kunden mit mehr als 1,5 Mio. Umsatz", "Kunden mit mehr als 1500000 Umsatz"],
    ["Kunden mit mehr als 20 Tsd. € Umsatz", "Kunden mit mehr als 20.000 Umsatz"],
    ["Produkte mit einem Listenpreis über 1.000,50", "Produkte mit einem Listenpreis von mehr als 1000,5"],
  ])("%s = %s", (one, other) => {
    expect(withoutWords(askOf(one))).toEqual(withoutWords(askOf(other)));
  });

  it.each([
    "Welche Kunden haben 2025 nicht bestellt?",
    "Kunden, die 2025 nichts bestellt haben",
    "which customers did not order in 2025",
  ])("%s: those without any order of then", (text) => {
    expect(askOf(text)).toMatchObject({ rel: { if: { k: "not", of: { k: "link" } } } });
  });

  it("reads numbers as Germans write them", () => {
    expect(askOf("Produkte mit einem Listenpreis über 1.000,50")).toMatchObject({
      rel: { if: { op: ">", b: { v: 1000.5 } } },
    });
    expect(askOf("Kunden mit mindestens 60.000 Euro Umsatz")).toMatchObject({ having: { b: { v: 60_000 } } });
    expect(askOf("Produkte mit einem Listenpreis unter 38 %")).toMatchObject({
      rel: { if: { b: { v: 0.38 } } },
    });
  });
});

describe("what is not answered in German either", () => {
  it.each([
    ["Durchschnittsgehalt unserer Mitarbeiter", "Durchschnittsgehalt"],
    ["Umsatz pro Raumfahrer", "Raumfahrer"],
    ["Wie ist das Wetter in Mainz?", "Wetter"],
    ["Wie viele Brote haben wir auf Lager?", "Lager"],
  ])("%s: %s is not in the model", (text, word) => {
    expect(read(text).missing.map((each) => each.text)).toContain(word);
  });

  it("asks what 'beste' means", () => {
    expect(read("Wer sind unsere besten Kunden?").unclear).toHaveLength(1);
  });
});

describe("words", () => {
  it.each([
    ["Umsätze", "Umsatz"],
    ["Kunden", "Kunde"],
    ["Bestellungen", "Bestellung"],
    ["Länder", "Land"],
    ["Städten", "Staedte"],
    ["Verkäufe", "Verkauf"],
    ["Mitarbeiterinnen", "Mitarbeiter"],
    ["abgeschlossener", "abgeschlossen"],
    ["durchschnittlichen", "Durchschnitt"],
    ["categories", "category"],
  ])("%s is a form of %s", (form, word) => {
    expect(stemGerman(foldGerman(form))).toBe(stemGerman(foldGerman(word)));
  });

  it("say which language a question is in, where they are of one", () => {
    const count = (text: string) => languagesOf(text).length;
    expect([count("Umsatz nach Region"), count("revenue by region"), count("revenue 2025")]).toEqual([
      1, 1, 2,
    ]);
    expect(languagesOf("Umsatz nach Region")).not.toEqual(languagesOf("revenue by region"));
  });
});

/** Words that no model here has: each may be a condition, a unit or another kind of number. */
const ADJECTIVES = `paid direct single recent gross refunded discounted rolling early overdue wholesale domestic digital internal
  taxable seasonal promotional bundled delivered invoiced disputed fraudulent loyal corporate organic recurring adjusted projected
  nominal typical normal duplicate partial raw issued booked logged hosted granted scored kept added received taken made placed
  full current`;
const TAILS = `in dollars|in cash|on sale|on credit|by card|with tax|before tax|abroad|mainly online|at night|for free|per head|
  in thousands|again|elsewhere|generally|normally|not only online|for women|via partners|in bulk|as planned|before discount`;
const VERBS = `paid called visited churned moved died clicked complained renewed upgraded won left came`;
const GERMAN_ADJECTIVES = `bezahlten direkten einzigen großen anderen verspäteten privaten geschäftlichen mobilen telefonischen
  reklamierten gelieferten rabattierten kostenlosen tatsächlichen fehlenden gültigen doppelten eingegangenen aufgegebenen
  bekommenen solchen`;
const GERMAN_TAILS = `in Dollar|in bar|mit Karte|auf Rechnung|im Ausland|nachts|vor Steuern|ohne Versand|über Partner|per App|
  bei Regen|allein|hauptsächlich online|gerundet|in Tausend|wieder|normalerweise|nicht nur online|als Geschenk`;
const each = (words: string, by: RegExp, frames: readonly [string, string][]) =>
  words
    .trim()
    .split(by)
    .flatMap((word) =>
      frames.map(([frame, plain]): [string, string] => [frame.replace("_", word.trim()), plain]),
    );

describe("a word that nothing carries", () => {
  const questions = [
    ...each(ADJECTIVES, /\s+/, [
      ["number of _ orders in 2025", "number of orders in 2025"],
      ["_ revenue by store in 2025", "revenue by store in 2025"],
    ]),
    ...each(TAILS, /\|/, [["revenue in 2025 _", "revenue in 2025"]]),
    ...each(VERBS, /\s+/, [["customers who _ in 2025", "customers in 2025"]]),
    ...each(GERMAN_ADJECTIVES, /\s+/, [["Anzahl der _ Bestellungen 2025", "Anzahl der Bestellungen 2025"]]),
    ...each(GERMAN_TAILS, /\|/, [["Umsatz 2025 _", "Umsatz 2025"]]),
  ];

  it("is told or asked about, and never left out of the answer", () => {
    const swallowed = questions.flatMap(([text, plain]) => {
      const { readings, missing, unclear } = read(text);
      if (readings[0] === undefined || missing.length + unclear.length > 0) return [];
      return JSON.stringify(readings[0].ask) === JSON.stringify(read(plain).readings[0]?.ask) ? [text] : [];
    });
    expect(swallowed).toEqual([]);
    expect(questions.length).toBeGreaterThan(150);
  });

  it.each([
    ["revenue in 2025 not only in Germany", ["not-only"]],
    ["revenue of all but the top 3 stores in 2025", ["except"]],
    ["neither store nor product revenue in 2025", ["neither", "nor"]],
    ["products bought together with Rye", ["together"]],
    ["revenue between the first and second order", ["first", "second"]],
  ])("is named: %s", (text, words) => {
    const { readings, missing, unclear } = read(text);
    expect(readings.length === 0 || missing.length + unclear.length > 0).toBe(true);
    expect(words).toEqual(expect.arrayContaining(missing.map((each) => each.text)));
  });

  it.each([
    ["Umsatz 2025 ausschließlich in Deutschland", "revenue in Germany in 2025"],
    ["Kunden mit genau 3 Bestellungen 2025", "customers with exactly 3 orders in 2025"],
    ["orders that were placed in 2025", "orders in 2025"],
  ])("is none where it says nothing or the same: %s", (text, plain) => {
    expect(askOf(text)).toEqual(askOf(plain));
  });

  it.each([
    ["revenue by order year", { by: [{ field: "order_date", bucket: "year" }] }],
    ["Umsatz nach Wochentag", { by: [{ part: "weekday" }] }],
    [
      "revenue share of the top 10 customers in 2025",
      { scope: { win: { from: "2025-01-01" } }, cols: [{ k: "calc", op: "/" }] },
    ],
    [
      "which month had the highest revenue in each year",
      { by: [{ bucket: "year" }, { bucket: "month" }], top: { n: 1, per: [{ bucket: "year" }] } },
    ],
    [
      "customers who bought more than 3 times in 2025",
      { having: { op: ">", a: { fn: "distinct", of: { field: "order_id" } } } },
    ],
  ])("is carried: %s", (text, ask) => {
    expect(askOf(text)).toMatchObject(ask);
  });
});
