interface Bomb {
  name: string;
  sql: string;
  /** How many are kept running; one unless it says more. */
  atOnce?: number;
}

/** Short statements that the guard has to let through, and that take all the time or memory there is. */
export const BOMBS: readonly Bomb[] = [
  { name: "nothing", sql: "SELECT 1" },
  {
    name: "GLOB with many wildcards",
    sql: "SELECT count(*) FROM range(8) r(i) WHERE repeat('a', 20000 + i) GLOB (repeat('*a', 30 + i) || 'b')",
  },
  {
    name: "ILIKE with many wildcards",
    sql: "SELECT count(*) FROM range(8) r(i) WHERE repeat('a', 20000 + i) ILIKE '%a%a%a%a%a%a%a%a%b'",
  },
  {
    name: "levenshtein of long texts",
    sql: "SELECT levenshtein(repeat('a', 90000 + i), repeat('b', 90000)) FROM range(64) r(i)",
  },
  {
    name: "json_structure of deep nesting",
    sql: "SELECT json_structure(repeat('[', 100000 + i) || repeat(']', 100000 + i)) FROM range(1) r(i)",
  },
  { name: "texts of a gigabyte", sql: "SELECT length(repeat('x', 2000000000 - i)) FROM range(2) r(i)" },
  {
    name: "rows of 50 MB",
    sql: "SELECT repeat('x', 50000000 + i) FROM range(1000) r(i)",
  },
  {
    name: "cross join",
    sql: "SELECT count(*) FROM range(1000000000) a(x), range(1000000000) b(y) WHERE (x * y) % 7 = 3",
  },
  {
    name: "sort of 20 million rows",
    sql: "SELECT * FROM (SELECT hash(i) AS h, repeat('x', 100) AS t FROM range(20000000) r(i)) ORDER BY h, t OFFSET 19999990",
  },
  { name: "lists in a window", sql: "SELECT list(i) OVER (ORDER BY i) FROM range(1000000) r(i)" },
  {
    name: "20 recursions at once",
    sql: "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000000000) SELECT max(i) FROM r",
    atOnce: 20,
  },
  {
    name: "20 cross joins at once",
    sql: "SELECT count(*) FROM range(1000000000) a(x), range(1000000000) b(y) WHERE (x * y) % 7 = 3",
    atOnce: 20,
  },
  {
    name: "20 GLOBs with many wildcards at once",
    sql: "SELECT count(*) FROM range(8) r(i) WHERE repeat('a', 20000 + i) GLOB (repeat('*a', 30 + i) || 'b')",
    atOnce: 20,
  },
  {
    name: "4 json_structures of deep nesting at once",
    sql: "SELECT json_structure(repeat('[', 100000 + i) || repeat(']', 100000 + i)) FROM range(1) r(i)",
    atOnce: 4,
  },
];
