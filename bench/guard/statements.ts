/** What everybody is asked, and texts of all sizes for the guard. */

export interface Question {
  name: string;
  /** The same words for DuckDB, SQLite and PostgreSQL. */
  sql(number: number): string;
}

/** Each call has a text of its own, as with a model that writes them. Keys are spread over all rows. */
export function questions(rows: number): { lookup: Question; join: Question; aggregate: Question } {
  const key = (number: number) => 1 + ((number * 7_919) % (rows - 100));
  return {
    lookup: {
      name: "lookup by key",
      sql: (number) =>
        `SELECT id, customer_id, day, region, status, amount FROM orders WHERE id = ${key(number)}`,
    },
    join: {
      name: "small join",
      sql: (number) =>
        `SELECT o.id, o.amount, c.name, c.city FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id BETWEEN ${key(number)} AND ${key(number) + 19} ORDER BY o.id`,
    },
    aggregate: {
      name: "aggregation",
      sql: (number) =>
        `SELECT region, status, count(*) AS orders, sum(amount) AS revenue, avg(amount) AS average FROM orders WHERE day >= '2020-07-01' AND id <> ${-number} GROUP BY region, status ORDER BY region, status`,
    },
  };
}

const HUGE_CHARACTERS = 150_000;

const MEDIUM = `
WITH recent AS (
  SELECT
    o.id,
    o.customer_id,
    o.region,
    o.status,
    o.amount,
    date_trunc('month', o.day) AS month
  FROM orders o
  WHERE o.day BETWEEN DATE '2021-01-01' AND DATE '2021-03-31'
    AND o.status IN ('paid', 'shipped')
    AND o.id < 20000
)
SELECT
  c.city,
  r.region,
  r.month,
  count(*) AS orders,
  count(DISTINCT r.customer_id) AS customers,
  sum(r.amount) AS revenue,
  round(avg(r.amount), 2) AS average,
  sum(CASE WHEN r.status = 'paid' THEN r.amount ELSE 0 END) AS paid,
  rank() OVER (PARTITION BY r.month ORDER BY sum(r.amount) DESC) AS place
FROM recent r
JOIN customers c ON c.id = r.customer_id
WHERE c.name ILIKE 'customer 1%'
  AND coalesce(c.city, '') <> ''
GROUP BY c.city, r.region, r.month
HAVING sum(r.amount) > 10
ORDER BY revenue DESC
LIMIT 20`;

/** Statements for the guard; all of them are cheap to run. */
export const STATEMENTS: Readonly<Record<string, (number: number) => string>> = {
  small: (number) => `SELECT name FROM customers WHERE id = ${number}`,
  medium: (number) => `${MEDIUM} OFFSET ${number % 7}`,
  "huge: columns": () =>
    `SELECT ${fill((i) => `id + ${i} AS column_${i}`, ", ")} FROM customers WHERE id = 1`,
  "huge: predicates": () =>
    `SELECT count(*) FROM customers WHERE id < 100 AND (${fill((i) => `(id <> ${i} OR name = 'x${i}')`, " AND ")})`,
  "huge: IN list": () => `SELECT count(*) FROM customers WHERE id IN (${fill(String, ", ")})`,
  "huge: nesting": () => nested(40),
  "huge: CTEs": () => `WITH ${expressions(400)} SELECT count(*) FROM expression_7`,
};

function fill(item: (index: number) => string, between: string, characters = HUGE_CHARACTERS): string {
  const items: string[] = [];
  for (let length = 0; length < characters; length += between.length + (items.at(-1)?.length ?? 0)) {
    items.push(item(items.length));
  }
  return items.join(between);
}

/** Subqueries in subqueries. Not deeper: DuckDB's planner needs five minutes for 200 levels with 40 predicates each. */
function nested(depth: number): string {
  let sql = "SELECT * FROM customers WHERE id < 10";
  for (let level = 0; level < depth; level += 1) {
    sql = `SELECT * FROM (${sql}) AS level_${level} WHERE id NOT IN (${numbers(HUGE_CHARACTERS / depth - 55)})`;
  }
  return sql;
}

/** DuckDB itself takes fewer than 1,000. */
function expressions(count: number): string {
  const list = numbers(HUGE_CHARACTERS / count - 65);
  const one = (i: number) => `expression_${i} AS (SELECT id, name FROM customers WHERE id IN (${list}))`;
  return Array.from({ length: count }, (_, i) => one(i)).join(", ");
}

function numbers(characters: number): string {
  return fill((i) => String(100 + i), ", ", characters);
}
