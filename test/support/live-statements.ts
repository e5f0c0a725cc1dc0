/** What has to be the same wherever the rows of `t` are. */

/** What ends a text or a name there, and what its escapes would turn into something else. */
export const HOSTILE = "\\'; DROP TABLE t; -- `\"\\\\";

export const ROWS = [
  { id: 1, name: "Ada", day: "2025-01-31", price: 1.25, note: null },
  { id: 2, name: "ada", day: "2025-02-28", price: 2.5, note: "a_b" },
  { id: 3, name: "Bob ", day: "2025-03-01", price: 3.75, note: "a%b" },
  { id: 4, name: "Bob", day: "2026-01-05", price: 10, note: HOSTILE },
];

/** Each with what is about it. */
export const STATEMENTS: readonly (readonly [title: string, sql: string])[] = [
  ["capitals and blanks tell texts apart", "SELECT name, count(*) AS n FROM t GROUP BY name ORDER BY name"],
  ["equality as well", "SELECT id FROM t WHERE name = 'ada' OR name = 'Bob' ORDER BY id"],
  [
    "signs of LIKE are escaped by nothing",
    "SELECT id FROM t WHERE note LIKE 'a\\_b' OR note LIKE 'a%b' ORDER BY id",
  ],
  ["division", "SELECT id / 2 AS half, id // 2 AS whole FROM t ORDER BY id"],
  ["nothing comes last", "SELECT id FROM t ORDER BY note DESC, id"],
  [
    "periods",
    "SELECT date_trunc('quarter', day) AS q, date_trunc('week', day) AS w, year(day) AS y, dayofweek(day) AS d FROM t ORDER BY id",
  ],
  [
    "spans",
    "SELECT day + INTERVAL 1 MONTH AS later, date_diff('month', DATE '2025-01-01', day) AS months, day - DATE '2025-01-01' AS days FROM t ORDER BY id",
  ],
  [
    "windows",
    "SELECT id, sum(price) OVER (ORDER BY id) AS so_far, row_number() OVER (PARTITION BY year(day) ORDER BY price DESC) AS place FROM t ORDER BY id",
  ],
  [
    "conditions of aggregates",
    "SELECT count(*) FILTER (WHERE price > 2) AS n, sum(price) FILTER (WHERE name = 'Ada') AS s, avg(price) AS a FROM t",
  ],
  ["QUALIFY", "SELECT id FROM t QUALIFY rank() OVER (ORDER BY price DESC) <= 2 ORDER BY id"],
  [
    "a series",
    "SELECT d, count(id) AS n FROM (SELECT unnest(generate_series(DATE '2025-01-01', DATE '2025-03-01', INTERVAL 1 MONTH)) AS d) AS s LEFT JOIN t ON date_trunc('month', day) = d GROUP BY d ORDER BY d",
  ],
  [
    "by name",
    "SELECT id, name FROM t WHERE id = 1 UNION ALL BY NAME SELECT 'x' AS name, 9 AS id ORDER BY id",
  ],
  [
    "what it has no words for is asked of a copy",
    "SELECT median(id) AS m, list_sort(list(id)) AS ids FROM t",
  ],
];
