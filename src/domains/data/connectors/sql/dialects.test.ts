import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DUCKDB, MYSQL, POSTGRESQL, SQLITE, scan } from "./dialects.ts";
import { quoteTable, readStatement } from "./read-statement.ts";

const dialects = { POSTGRESQL, MYSQL, SQLITE, DUCKDB };
const kinds = (sql: string, dialect: keyof typeof dialects): string =>
  scan(sql, dialects[dialect].lexicon)
    .map(({ kind, text }) => `${{ code: "c", quoted: "q", comment: "m" }[kind]}<${text}>`)
    .join("");

describe("scan", () => {
  it.each([
    ["POSTGRESQL", "a 'b''c' d", "c<a >q<'b''c'>c< d>"],
    ["POSTGRESQL", "'\\' x", "q<'\\'>c< x>"],
    ["POSTGRESQL", "E'\\' x'", "c<E>q<'\\' x'>"],
    ["POSTGRESQL", "name'\\' x", "c<name>q<'\\'>c< x>"],
    ["POSTGRESQL", "$$a;'$$ $x$b$$$x$ $1", "q<$$a;'$$>c< >q<$x$b$$$x$>c< $1>"],
    ["POSTGRESQL", "a$b$c$b$", "c<a$b$c$b$>"],
    ["MYSQL", "'\\'' \"a\\\"\" `b``c`", "q<'\\''>c< >q<\"a\\\"\">c< >q<`b``c`>"],
    ["MYSQL", "`a\\` b", "q<`a\\`>c< b>"],
    ["SQLITE", "[a ; b] 'x\\' y", "q<[a ; b]>c< >q<'x\\'>c< y>"],
    ["DUCKDB", "'it''s' $$x$$", "q<'it''s'>c< >q<$$x$$>"],
  ] as const)("%s: %s", (dialect, sql, expected) => {
    expect(kinds(sql, dialect)).toBe(expected);
  });

  it("knows comments", () => {
    expect(kinds("a/* b /* c */ d */e", "POSTGRESQL")).toBe("c<a>m</* b /* c */ d */>c<e>");
    expect(kinds("a/* b /* c */ d", "MYSQL")).toBe("c<a>m</* b /* c */>c< d>");
    expect(kinds("a--b\nc", "POSTGRESQL")).toBe("c<a>m<--b\n>c<c>");
    expect(kinds("a--b", "MYSQL")).toBe("c<a--b>");
    expect(kinds("a-- b\n# c\nd", "MYSQL")).toBe("c<a>m<-- b\n>m<# c\n>c<d>");
  });

  it("loses nothing, whatever comes", () => {
    const text = fc.string({ unit: fc.constantFrom(..."'\"`$[]\\-/*#; \nEeax:1") });
    fc.assert(
      fc.property(text, fc.constantFrom(...Object.values(dialects)), (sql, { lexicon }) => {
        expect(
          scan(sql, lexicon)
            .map((segment) => segment.text)
            .join(""),
        ).toBe(sql);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("parameters", () => {
  const bind = (sql: string, parameters: Record<string, string | number | null | string[]>) =>
    readStatement(sql, parameters, POSTGRESQL, (number) => `$${number}`);

  it.each([
    ["SELECT :a, :b, :a", "SELECT $1, $2, $3", ["x", 5, "x"]],
    ["SELECT ':a', \":a\", x::a, arr[1:a], $$:a$$", "SELECT ':a', \":a\", x::a, arr[1:a], $$:a$$", []],
    ["SELECT x[:n], {'k':v}, [1][:n]", "SELECT x[:n], {'k':v}, [1][:n]", []],
    ["SELECT :a::text -- :a", "SELECT $1::text -- :a", ["x"]],
    ["SELECT 1 IN (:list)", "SELECT 1 IN ($1, $2)", ["p", "q"]],
  ])("%s", (sql, text, values) => {
    expect(bind(sql, { a: "x", b: 5, list: ["p", "q"] })).toEqual({ text, values });
  });

  it("have a value of their own, or none", () => {
    expect(() => bind("SELECT :toString", {})).toThrow("the parameter toString, which has no value");
    expect(() => bind("SELECT :__proto__", {})).toThrow("the parameter __proto__, which has no value");
  });

  it("has a bound, and takes nothing that a database cannot", () => {
    expect(() => bind("SELECT :a", { a: Array.from({ length: 10_001 }, () => "x") })).toThrow(
      /more than 10,000/,
    );
    expect(() => bind("SELECT :a", { a: "a\0b" })).toThrow(/cannot be sent/);
    expect(() => bind("SELECT :a", { a: Number.NaN })).toThrow(/cannot be sent/);
  });
});

it("quotes names of tables so that nothing can end them", () => {
  expect(quoteTable({ name: 'a"b' }, POSTGRESQL)).toBe('"a""b"');
  expect(quoteTable({ schema: "x`y", name: "z" }, MYSQL)).toBe("`x``y`.`z`");
});
