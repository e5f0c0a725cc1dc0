import { afterAll, beforeAll, expect, it } from "vitest";
import { librarySchema, openLibrary } from "../../../../test/support/library-tables.ts";
import { compile } from "../compile/compile.ts";
import { linkedTo } from "../typed/linked.ts";
import { allOf } from "./parts.ts";
import type { Cond, Key } from "./semantic-query.ts";

const schema = librarySchema();
let library: Awaited<ReturnType<typeof openLibrary>>;
beforeAll(async () => {
  library = await openLibrary();
  await library.fill({
    books: [{ book_id: 1 }, { book_id: 2 }],
    authors: [
      { author_id: 1, author_name: "Ann", country: "Peru" },
      { author_id: 2, author_name: "Bo", country: "Peru" },
      { author_id: 3, author_name: "Bo", country: "Mali" },
    ],
    writings: [
      { book_id: 1, author_id: 1 },
      { book_id: 1, author_id: 2 },
      { book_id: 2, author_id: 1 },
      { book_id: 2, author_id: 3 },
    ],
    loans: [
      { loan_id: 1, book_id: 1, fee: 5 },
      { loan_id: 2, book_id: 2, fee: 7 },
    ],
  });
});
afterAll(() => library.close());

const is = (field: string, value: string): Cond => {
  const key: Key = { ds: "authors", field };
  return { k: "is", key, values: [value], match: "equal" };
};

const FEES: readonly (readonly [said: string, conds: Cond[], fees: number | null])[] = [
  ["a loan counts once, however many of its authors are so", [is("country", "Peru")], 12],
  ["both of one author", [is("country", "Peru"), is("author_name", "Bo")], 5],
  ["two of one field, each of some author", [is("country", "Peru"), is("country", "Mali")], 7],
  ["none", [is("country", "Chad")], null],
];

it.each(FEES)("a condition over a bridge: %s", async (_said, conds, fees) => {
  const all = allOf(linkedTo("loans", conds, undefined, schema)) as Cond;
  const cols = [{ k: "metric" as const, name: "fees" }];
  const { sql } = compile(schema, { k: "table", by: [], cols, scope: { if: all } });
  expect(await library.query(sql)).toEqual([[fees]]);
});

it("what is denied of several may mean two things", () => {
  expect(() => linkedTo("loans", [{ k: "not", of: is("country", "Peru") }], undefined, schema)).toThrow(
    /do not belong to one row of authors/,
  );
});
