/** What is tried on rows that a policy hides: each answer, and each error, has to be as if they were not there. */

export const VISIBLE = [
  { id: 1, team: "a", salary: -66, note: "2020" },
  { id: 2, team: "a", salary: -67, note: "2021" },
];
export const HIDDEN = [{ id: 3, team: "b", salary: 70_123, note: "hush-hush" }];
export const POLICIES = [
  { name: "a", roles: ["viewer"], rows: [{ field: "team", operator: "=", value: "a" }] },
];

/** Each fails for the hidden row, and with most of them its value would stand in the error. */
export const CONDITIONS = [
  // `chr` does not say that it can fail, so that the optimiser would be free to ask it of all rows first.
  "chr(100 - ascii(note)) > ''",
  "chr(-salary::INTEGER) > ''",
  "chr(-salary::INTEGER) > '' AND salary < 0",
  "CAST(note AS INTEGER) > 0",
  "CAST(-salary AS UTINYINT) > 0",
  "ln(-salary) > 0",
  "strptime(note, '%Y') IS NOT NULL",
  "salary < 0 OR CAST(note AS INTEGER) > 0",
];

export const PLACES = [
  (condition: string) => `SELECT count(*) AS n FROM people WHERE ${condition}`,
  (condition: string) => `SELECT count(*) FILTER (WHERE ${condition}) AS n FROM people`,
  (condition: string) => `SELECT bool_and(${condition}) AS n FROM people`,
  (
    condition: string,
  ) => `SELECT count(*) AS n FROM people a JOIN (SELECT DISTINCT id, salary, note FROM people) b
    ON a.id = b.id AND ${condition.replaceAll(/\b(salary|note)\b/g, "b.$1")}`,
  (
    condition: string,
  ) => `SELECT id, count(*) AS n FROM people WHERE id IN (SELECT id FROM people WHERE ${condition})
    GROUP BY id ORDER BY id`,
  (condition: string) => `SELECT id FROM people GROUP BY id, salary, note HAVING ${condition} ORDER BY id`,
];

/** What statistics of all rows would answer, or let the engine leave out. */
export const STATISTICS = [
  "SELECT min(salary) AS low, max(salary) AS high, min(note) AS first, count(DISTINCT team) AS teams FROM people",
  "SELECT count(*) AS n FROM people WHERE salary > 70000",
  "SELECT count(*) AS n FROM people WHERE salary > 70200",
  "SELECT approx_count_distinct(note) AS n, max(id) AS id FROM people",
  "SELECT count(*) AS n FROM people WHERE team = 'b' OR note LIKE 'hush%'",
];

/** A model of people with an extension of ours. */
export function peopleModel(name: string, extension: object, source?: string): string {
  const fields = ["id", "team", "salary", "note"].map((field) => ({ name: field, expression: field }));
  const custom_extensions = [{ vendor_name: "KENNING", data: JSON.stringify(extension) }];
  const datasets = [{ name: "people", ...(source !== undefined && { source }), fields, custom_extensions }];
  return JSON.stringify({ version: "0.2.0.dev0", semantic_model: [{ name, datasets }] });
}
