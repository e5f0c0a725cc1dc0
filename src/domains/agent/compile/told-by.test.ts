import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LibraryRows, librarySchema, openLibrary } from "../../../../test/support/library-tables.ts";
import { isAdditive } from "../explain/view.ts";
import type { Ask, Cond, Key, Num } from "../query/semantic-query.ts";
import { compile } from "./compile.ts";
import { CompileError } from "./paths.ts";
import { isBridge } from "./told-by.ts";

/** Numbers told apart by what rows belong to in several ways, against the same worked out row by row. */

const schema = librarySchema();
let library: Awaited<ReturnType<typeof openLibrary>>;
beforeAll(async () => {
  library = await openLibrary();
});
afterAll(() => library.close());

const AUTHOR: Key = { ds: "authors", field: "author_name" };
const COUNTRY: Key = { ds: "authors", field: "country" };
const KIND: Key = { ds: "notes", field: "kind" };
const TITLE: Key = { ds: "books", field: "title" };
const BRANCH: Key = { ds: "branches", field: "branch_name" };
const AIRLINE: Key = { ds: "flights", field: "airline" };
const metric = (name: string): Num => ({ k: "metric", name });
const table = (by: Key[], ...cols: Num[]): Ask => ({ k: "table", by, cols });

const small = fc.integer({ min: 1, max: 4 });
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 5 });
const name = fc.constantFrom("A", "B", "C");
const rows = (id: string, shape: Record<string, fc.Arbitrary<string | number | null>>, most: number) =>
  fc
    .array(fc.record(shape), { maxLength: most })
    .map((all) => all.map((row, i): LibraryRows[string][number] => ({ [id]: i + 1, ...row })));
const data: fc.Arbitrary<LibraryRows> = fc.record({
  books: rows("book_id", { title: name, pages: orNull(small) }, 4),
  authors: rows("author_id", { author_name: name, country: orNull(name) }, 4),
  writings: fc
    .uniqueArray(fc.tuple(small, small), { maxLength: 8, selector: String })
    .map((all) => all.map(([book_id, author_id]) => ({ book_id, author_id }))),
  loans: rows("loan_id", { book_id: orNull(small), fee: orNull(small) }, 6),
  notes: rows("note_id", { loan_id: orNull(small), kind: orNull(name), words: small }, 6),
});

type Row = LibraryRows[string][number];

/** Whose a row is, whichever way leads there: each of them once. */
function ownersOf(all: LibraryRows, home: string, row: Row, to: string): Row[] {
  const at = (ds: string) => all[ds] ?? [];
  if (home === to) return [row];
  if (home === "loans") {
    if (to === "notes") return at("notes").filter((note) => note["loan_id"] === row["loan_id"]);
    const books = at("books").filter((book) => book["book_id"] === row["book_id"]);
    return books.flatMap((book) => ownersOf(all, "books", book, to));
  }
  if (home === "books" && to === "notes")
    return at("loans")
      .filter((loan) => loan["book_id"] === row["book_id"])
      .flatMap((loan) => ownersOf(all, "loans", loan, to));
  const [own, other] = home === "books" ? ["book_id", "author_id"] : ["author_id", "book_id"];
  const there = at("writings")
    .filter((each) => each[own] === row[own])
    .flatMap((each) =>
      at(home === "books" ? "authors" : "books").filter((found) => found[other] === each[other]),
    );
  if (home === "books" || to === "books") return there;
  return there.flatMap((book) => ownersOf(all, "books", book, to));
}

const sum = (values: number[]) => (values.length === 0 ? null : values.reduce((a, b) => a + b, 0));
const numbersIn = (all: Row[], field: string) =>
  all.flatMap((row) => (typeof row[field] === "number" ? [row[field]] : []));
const NUMBERS: Readonly<Record<string, { home: string; of: (all: Row[]) => number | null }>> = {
  loans_made: { home: "loans", of: (all) => all.length },
  fees: { home: "loans", of: (all) => sum(numbersIn(all, "fee")) },
  average_fee: {
    home: "loans",
    of: (all) => {
      const known = numbersIn(all, "fee");
      return known.length === 0 ? null : (sum(known) as number) / known.length;
    },
  },
  highest_fee: {
    home: "loans",
    of: (all) => (numbersIn(all, "fee").length === 0 ? null : Math.max(...numbersIn(all, "fee"))),
  },
  book_count: { home: "books", of: (all) => all.length },
  all_pages: { home: "books", of: (all) => sum(numbersIn(all, "pages")) },
  author_count: { home: "authors", of: (all) => all.length },
};

/** What entities are called by is told apart by their ids as well. */
function expected(all: LibraryRows, of: string, key: Key, only: string | undefined): unknown[][] {
  const { home, of: number } = NUMBERS[of] as (typeof NUMBERS)[string];
  const groups = new Map<string, { shown: unknown; rows: Set<Row> }>();
  for (const row of all[home] ?? [])
    for (const owner of ownersOf(all, home, row, key.ds)) {
      if (only !== undefined && owner["country"] !== only) continue;
      const id = key === AUTHOR ? owner["author_id"] : key === TITLE ? owner["book_id"] : null;
      const group = JSON.stringify([owner[key.field], id]);
      const found = groups.get(group) ?? { shown: owner[key.field], rows: new Set<Row>() };
      groups.set(group, { ...found, rows: found.rows.add(row) });
    }
  return [...groups.values()]
    .map(({ shown, rows: some }) => [shown, number([...some])])
    .filter(([, value]) => value !== null);
}

const sorted = (all: readonly (readonly unknown[])[]) =>
  all
    .map((row) => JSON.stringify(row.map((v) => (typeof v === "number" ? Math.round(v * 1e6) / 1e6 : v))))
    .toSorted();

const ofCountry = (value: string): Cond => ({
  k: "link",
  at: "books",
  path: [
    { link: "writings_book", dir: "many" },
    { link: "writings_author", dir: "one" },
  ],
  to: {
    k: "where",
    in: { k: "all", ds: "authors" },
    if: { k: "is", key: COUNTRY, values: [value], match: "equal" },
  },
});

it("each row counts once for each that it belongs to", async () => {
  const told = fc.oneof(
    fc.tuple(
      fc.constantFrom("loans_made", "fees", "average_fee", "highest_fee", "book_count", "all_pages"),
      fc.constantFrom(AUTHOR, COUNTRY),
      fc.constantFrom(undefined, "A", "B"),
    ),
    fc.tuple(
      fc.constantFrom("loans_made", "highest_fee", "book_count"),
      fc.constant(KIND),
      fc.constant(undefined),
    ),
    fc.tuple(fc.constant("author_count"), fc.constant(TITLE), fc.constant(undefined)),
  );
  await fc.assert(
    fc.asyncProperty(data, told, async (all, [of, key, only]) => {
      const scope = only === undefined ? {} : { scope: { if: ofCountry(only) } };
      const { sql } = compile(schema, { ...table([key], metric(of)), ...scope } as Ask);
      await library.fill(all);
      expect(sorted(await library.query(sql)), sql).toEqual(sorted(expected(all, of, key, only)));
    }),
    { numRuns: 200 },
  );
});

const REFUSED: readonly (readonly [why: string, ask: Ask])[] = [
  ["a sum by what rows have that are no bridge", table([KIND], metric("fees"))],
  ["an average by them", table([KIND], metric("average_fee"))],
  ["what a town has by its branches", table([BRANCH], metric("budget"))],
  ["how many a town has by its branches", table([BRANCH], metric("budget_count"))],
  ["two ways that are as near", table([AIRLINE], metric("town_count"))],
  ["what is told apart by different ways", table([AUTHOR, KIND], metric("loans_made"))],
  ["a ratio of what belongs to one and what to several", table([TITLE, KIND], metric("fee_of_a_book"))],
  [
    "the total of groups that share rows",
    table([], { k: "each", fn: "sum", of: metric("fees"), per: [AUTHOR] }),
  ],
  ["their average", table([], { k: "each", fn: "avg", of: metric("fees"), per: [AUTHOR] })],
];

it.each(REFUSED)("refuses %s", (_why, ask) => {
  expect(() => compile(schema, ask)).toThrow(CompileError);
});

it("knows a bridge from rows that say more", () => {
  expect([...schema.datasets.keys()].filter((ds) => isBridge(schema, ds))).toEqual(["writings"]);
});

it("knows that such groups do not add up, and says where they share rows", async () => {
  const fees = metric("fees");
  expect([[TITLE], [AUTHOR]].map((by) => isAdditive(fees, schema, by))).toEqual([true, false]);
  const { used } = compile(schema, table([AUTHOR], fees));
  const shared = async (writings: Row[]) => {
    await library.fill({
      books: [{ book_id: 1 }],
      authors: [1, 2].map((author_id) => ({ author_id })),
      writings,
    });
    return (await library.query(used.spreads[0]?.sql ?? "")).length;
  };
  const one = { book_id: 1, author_id: 1 };
  expect([await shared([one]), await shared([one, { book_id: 1, author_id: 2 }])]).toEqual([0, 1]);
});

it("divides by the true whole", async () => {
  const whole: Num = { k: "metric", name: "book_count", scope: { whole: true } };
  const { sql } = compile(schema, table([AUTHOR], { k: "calc", op: "/", a: metric("book_count"), b: whole }));
  await library.fill({
    books: [1, 2].map((book_id) => ({ book_id })),
    authors: [1, 2].map((author_id) => ({ author_id, author_name: `Author ${author_id}` })),
    writings: [
      { book_id: 1, author_id: 1 },
      { book_id: 2, author_id: 1 },
      { book_id: 2, author_id: 2 },
    ],
  });
  expect(await library.query(sql)).toEqual([
    ["Author 1", 1],
    ["Author 2", 0.5],
  ]);
});
