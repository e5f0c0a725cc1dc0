/** Texts between quotation marks, and numbers: in SQL and in questions they are what data are made of. */
const LITERALS =
  /'(?:[^']|'')*'?|"[^"]*"?|“[^”]*”?|„[^“”]*[“”]?|«[^»]*»?|(?<![\p{L}\p{N}_$])[$€£]?\d[\p{N}.,:]*(?:[eE][+-]?\d+)?/gu;
/** In SQL a name may stand between double quotation marks. */
const SQL_LITERALS =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|(\$\w*\$)[\s\S]*?(?:\1|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<![\p{L}\p{N}_$])\d[\p{N}.]*(?:[eE][+-]?\d+)?/gu;

/** A question with its literals taken out: what was asked about, without what was looked for. */
export function maskQuestion(text: string): string {
  // An apostrophe within a word quotes nothing.
  return text.replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, "’").replaceAll(LITERALS, "?");
}

/** SQL with its literals and comments taken out. */
export function maskSql(sql: string): string {
  return sql.replaceAll(SQL_LITERALS, (found) => {
    if (found.startsWith('"')) return found;
    return found.startsWith("--") || found.startsWith("/*") ? "" : "?";
  });
}
