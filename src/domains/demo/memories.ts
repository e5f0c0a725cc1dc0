/** What the people of Hafenrad would tell a new colleague. Dates are days before the workspace was made. */
interface MemoryWish {
  key: string;
  title: string;
  content: string;
  tags: readonly string[];
  since: number;
}

export const MEMORIES: readonly MemoryWish[] = [
  {
    key: "hafenrad",
    title: "Hafenrad GmbH",
    content:
      "Hafenrad makes electric bicycles in Hamburg-Altona, with 64 people, and sells them in five countries.",
    tags: ["organisation"],
    since: 1_090,
  },
  {
    key: "maren",
    title: "Maren Thiessen",
    content: "Maren Thiessen is head of sales. She decides on prices and talks to the importers.",
    tags: ["person"],
    since: 1_000,
  },
  {
    key: "jonas",
    title: "Jonas Feld",
    content: "Jonas Feld looks after the online shop and is on call when it is down.",
    tags: ["person"],
    since: 900,
  },
  {
    key: "aylin",
    title: "Aylin Demir",
    content: "Aylin Demir leads the support team of seven people.",
    tags: ["person"],
    since: 700,
  },
  {
    key: "pieter",
    title: "Pieter de Wit",
    content: "Pieter de Wit designed the Cargo Lite and answers technical questions about it.",
    tags: ["person"],
    since: 520,
  },
  {
    key: "nordcykel",
    title: "Nordcykel ApS",
    content:
      "Nordcykel ApS in Aarhus was our importer for Denmark. It gave up its dealers and closed; since then only the online shop delivers to Denmark.",
    tags: ["client"],
    since: 150,
  },
  {
    key: "voltzell",
    title: "Voltzell AG",
    content: "Voltzell AG in Linz supplies the batteries of all bikes. Delivery takes nine weeks.",
    tags: ["supplier"],
    since: 800,
  },
  {
    key: "price",
    title: "City One costs 2,599 euros",
    content:
      "The list price of the City One was raised from 2,399 to 2,599 euros because cells became dearer.",
    tags: ["decision"],
    since: 240,
  },
  {
    key: "launch",
    title: "Cargo Lite is out",
    content:
      "The Cargo Lite, a cargo bike of 27 kilograms, came onto the market. Families buy it instead of a second car.",
    tags: ["project"],
    since: 430,
  },
  {
    key: "outage",
    title: "Online shop down for three days",
    content:
      "A certificate at the payment provider expired, and the online shop took no orders for three days. Some fifty people a day wrote to support.",
    tags: ["project"],
    since: 36,
  },
  {
    key: "denmark",
    title: "New importer for Denmark",
    content:
      "We look for a new importer for Denmark and talk to Cykelhuset in Odense; a decision is due by spring.",
    tags: ["project"],
    since: 60,
  },
];

/** From, type, to. */
export const RELATIONS: readonly (readonly [string, string, string])[] = [
  ["maren", "WORKS_FOR", "hafenrad"],
  ["jonas", "WORKS_FOR", "hafenrad"],
  ["aylin", "WORKS_FOR", "hafenrad"],
  ["pieter", "WORKS_FOR", "hafenrad"],
  ["voltzell", "SUPPLIES", "hafenrad"],
  ["price", "DECIDED_BY", "maren"],
  ["price", "CAUSED_BY", "voltzell"],
  ["pieter", "WORKS_ON", "launch"],
  ["jonas", "RESPONSIBLE_FOR", "outage"],
  ["maren", "RESPONSIBLE_FOR", "denmark"],
  ["denmark", "CAUSED_BY", "nordcykel"],
];
