/** A name in SQL, whatever characters it has. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text literal in SQL. DuckDB knows no escapes in plain literals but the doubled quote. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A text that LIKE takes as it is, whatever signs it has. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
