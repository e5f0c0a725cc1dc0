import { describe, expect, it } from "vitest";
import { type Expression, parse, parseCondition, print, type Query } from "./index.ts";

/** Canonical texts show how a query was read, brackets and all. */
const READ: readonly [text: string, canonical: string][] = [
  ["*", "select *"],
  ["SELECT  Sent ,Date", "select Sent, Date"],
  ["select distinct *", "select distinct *"],
  ["select distinct customer", "select distinct customer"],
  ["select Sent as Sent Messages, Date", "select Sent as Sent Messages, Date"],
  ['select count(*) n, sum(x) "the sum" group by y', "select count(*) as n, sum(x) as the sum group by y"],
  ["select opened/sent*100 as Open Rate %, x", 'select opened / sent * 100 as "Open Rate %", x'],
  ["select a as Total (EUR), b", 'select a as "Total (EUR)", b'],
  ['select a as "Order Date"', 'select a as "Order Date"'],
  ["select a as 'x', b as `y`, c as [z]", "select a as x, b as y, c as z"],
  ["select *, ~Message Type, ~`a-b`", 'select *, ~Message Type, ~"a-b"'],
  ["where opened > 100000", "select * where opened > 100000"],
  ["select where opened > 1", "select * where opened > 1"],
  ["order by Order desc, desc desc limit 5", 'select * order by "Order" desc, "desc" desc limit 5'],
  ["order by a asc, b DESC", "select * order by a, b desc"],
  ["limit 3", "select * limit 3"],
  ["a; ; b;", "select a;\nselect b"],
  ["", ""],
  [" -- nothing\n /* at all */ ", ""],
  ["select a -- the first\n, b /* and\n more */ where a--1 > 0", "select a, b where a - -1 > 0"],
  [
    "where Message Type = Transactional and sent > 2",
    "select * where Message Type = Transactional and sent > 2",
  ],
  ["where a <> 1 or b == 2", "select * where a != 1 or b = 2"],
  ["where a = 1 or b = 2 and not c = 3", "select * where a = 1 or b = 2 and not c = 3"],
  ["where (a = 1 or b = 2) and c = 3", "select * where (a = 1 or b = 2) and c = 3"],
  ["where not (a = 1 and b = 2)", "select * where not (a = 1 and b = 2)"],
  ["where a not in (1, 'x', New York)", "select * where a not in (1, 'x', New York)"],
  ["where a in $c9_x$", "select * where a in ($c9_x$)"],
  ["where a in ()", "select * where a in ()"],
  ["where a between 1 and 2 and b between x and y", "select * where a between 1 and 2 and b between x and y"],
  ["where a between $c9_r$ and b = 1", "select * where (a between $c9_r$) and b = 1"],
  ["where a between $c9_r$ and not b", "select * where (a between $c9_r$) and not b"],
  ["where a between $c9_f$ and $c9_t$", "select * where a between $c9_f$ and $c9_t$"],
  ["where a is null or b is not null", "select * where a is null or b is not null"],
  ["where a not like %x% and b like y", "select * where a not like '%x%' and b like y"],
  ["where a like'x'", "select * where a like 'x'"],
  ["where name = O'Brien", 'select * where name = "O\'Brien"'],
  ["where name = Mr. Smith", 'select * where name = "Mr. Smith"'],
  ["where ip = 10.0.0.1", 'select * where ip = "10.0.0.1"'],
  [
    "where d >= 2024-01-31 and d < 2024-02-01 10:30",
    "select * where d >= '2024-01-31' and d < '2024-02-01 10:30'",
  ],
  ["select a+b*c^d^e%f", "select a + b * c ^ d ^ e % f"],
  ["select (a+b)*c, a-(b-c), (a^b)^c", "select (a + b) * c, a - (b - c), (a ^ b) ^ c"],
  ["select -a^2, (-a)^2, a^-b, - -a, +a", "select -a ^ 2, (-a) ^ 2, a ^ -b, -(-a), a"],
  ["select a > 1, (a = b) = c", "select a > 1, (a = b) = c"],
  ["select count(*), COUNT(DISTINCT x), distinct(y)", "select count(*), distinct(x), distinct(y)"],
  [
    "select avg(x) over (), SUM(x) OVER (PARTITION BY a b, c)",
    "select avg(x) over (), sum(x) over (partition by a b, c)",
  ],
  [
    "select a.b, items[0].price, Customer Info.First Name",
    "select a.b, items[0].price, Customer Info.First Name",
  ],
  ["select \"a b\".c, [d].`e f`, split(a, ',')[1]", "select a b.c, `d`.e f, split(a, ',')[1]"],
  [
    "select case when a > 1 then x when b then 'y' else 2 end as z",
    "select case when a > 1 then x when b then 'y' else 2 end as z",
  ],
  [
    "select Case, Case Number, End Date, In, Is Active, Limit, Group",
    'select "Case", "Case Number", "End Date", "In", "Is Active", "Limit", "Group"',
  ],
  [
    "select date_format(d, dd-MMM), date_add(d, -2d), date_trunc(d, month)",
    "select date_format(d, 'dd-MMM'), date_add(d, '-2d'), date_trunc(d, 'month')",
  ],
  ["where d > $c9_today - 7d", "select * where d > $c9_today-7d"],
  ["where d > '$c9_lastmonth+1m-1D'", "select * where d > $c9_lastmonth+1m-1d"],
  [
    "where k = {$c9_today:yyyyMMdd} or k = {$C9_now-1h}",
    "select * where k = {$c9_today:yyyyMMdd} or k = $c9_now-1h",
  ],
  [
    "where r = $c9_region$(West)$[Region]$ or r = '$c9_x$()$'",
    "select * where r = $c9_region$(West)$[Region]$ or r = $c9_x$()$",
  ],
  ["select null, true, FALSE, 1.5e3, .5, 007", "select null, true, false, 1.5e3, .5, 007"],
  ["select 'it''s', \"a\"\"b\", `c``d`, [e]]f]", "select 'it''s', \"a\"\"b\", `c``d`, `e]f`"],
  ["select Area 51, 2nd Quarter, Q1 2024", "select Area 51, 2nd Quarter, Q1 2024"],
  ["where größe_€ = Münster", "select * where größe_€ = Münster"],
];

describe("parse", () => {
  it.each(READ.filter(([, canonical]) => canonical !== ""))("reads %s", (text, canonical) => {
    expect(print(parse(text))).toBe(canonical);
  });

  it("reads an empty text as all rows", () => {
    for (const text of ["", " ; ;", "-- nothing\n /* at all */"]) expect(parse(text).statements).toEqual([]);
  });

  it("keeps where everything stands", () => {
    const text = "select Sent as S,\n  sum(Message Count) where Type = Two Words";
    const { statements } = parse(text);
    const [first, second] = statements[0]?.items ?? [];
    const cut = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(cut(first?.span ?? { start: 0, end: 0 })).toBe("Sent as S");
    const call = (second as { expression: Expression }).expression as Expression & { kind: "call" };
    expect(cut(call.span)).toBe("sum(Message Count)");
    expect(cut((call.args[0] as Expression).span)).toBe("Message Count");
    const where = statements[0]?.where as Expression & { kind: "comparison" };
    expect([where, where.left, where.right].map(({ span }) => cut(span))).toEqual([
      "Type = Two Words",
      "Type",
      "Two Words",
    ]);
  });

  it("takes known names that are no plain words, longest first", () => {
    const columns = [
      "Sub-Category",
      "Sub-Category Name",
      "Terms and Conditions",
      "Cost/Unit ($)",
      "a.b",
      "50%",
    ].map((name) => ({ name }));
    const names = (text: string) => namesIn(parse(text, { columns }));
    expect(names("sub-category, Sub-Category NAME, Terms and conditions")).toEqual([
      "`Sub-Category`",
      "`Sub-Category Name`",
      "`Terms and Conditions`",
    ]);
    expect(names("Cost/Unit ($), a.b, 50%")).toEqual(["`Cost/Unit ($)`", "`a.b`", "`50%`"]);
    expect(names("Sub-Categoryx")).toEqual(["Sub - Categoryx"]);
    expect(names("xa.b, 150%3")).toEqual(["xa.b", "150 % 3"]);
  });

  it("reads a condition alone as the query that finds its rows", () => {
    expect(print(parseCondition("opened > 100 and Type = New;"))).toBe(
      "select * where opened > 100 and Type = New",
    );
    expect(print(parseCondition("where opened > 100"))).toBe("select * where opened > 100");
    expect(() => parseCondition("opened > 100 order by x")).toThrow(/"order" cannot stand here/);
  });
});

function namesIn(query: Query): string[] {
  return print(query)
    .replace(/^select /, "")
    .split(", ");
}
