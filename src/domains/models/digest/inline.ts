/**
 * The texts of a model come from its author and may hold anything. One thing stays one line, and no text begins a
 * line, so none can look like a heading or like another field.
 */

/** What authors list may be long; the digest says how many values it leaves out. */
const ENUM_VALUES_MAX = 100;

/** Of one text: line breaks, control characters and runs of spaces become a space. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** A text of several lines, quoted so that it stays a block of its own. */
export function block(text: string): string[] {
  return text
    .toWellFormed()
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((line) => line.replace(/\p{Cc}+/gu, " ").trimEnd())
    .filter((line) => line !== "")
    .map((line) => `> ${line}`);
}

/** SQL between as many backticks as it takes. */
export function code(sql: string): string {
  const text = sqlOnOneLine(sql);
  const runs = (text.match(/`+/g) ?? []).map(({ length }) => length);
  if (runs.length === 0) return `\`${text}\``;
  const fence = "`".repeat(Math.max(...runs) + 1);
  return `${fence} ${text} ${fence}`;
}

/** A comment to the end of the line would swallow the rest once there is only one line. */
function sqlOnOneLine(sql: string): string {
  const parts = /'[^']*(?:'|$)|"[^"]*(?:"|$)|\/\*[\s\S]*?(?:\*\/|$)|--([^\n\r]*)/g;
  const safe = sql.replace(parts, (part, comment: string | undefined) =>
    comment === undefined ? part : `/* ${comment.replaceAll("*/", "").trim()} */`,
  );
  return oneLine(safe);
}

export function enumOf(values: readonly (string | number | boolean)[]): string {
  const shown = values.slice(0, ENUM_VALUES_MAX).map((value) => listed(String(value)));
  if (values.length > shown.length) shown.push(`… ${values.length - shown.length} more`);
  return `{${shown.join(", ")}}`;
}

export function listOf(texts: readonly string[]): string {
  return texts.map(listed).join(", ");
}

/** One of a list: between quotes where it would look like two, or like the list's end. */
function listed(text: string): string {
  const line = oneLine(text);
  return line === "" || /[,{}*]|^'|^…/.test(line) ? `'${line.replaceAll("'", "''")}'` : line;
}
