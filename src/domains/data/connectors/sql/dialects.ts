export interface Dialect {
  lexicon: Lexicon;
  /** How a query may begin. */
  readWords: readonly string[];
  /** Deny-list of what may not stand in a statement that begins like a read. */
  refused: readonly { pattern: RegExp; reason: string }[];
  /** Puts a name into quotes. */
  quoteSign: '"' | "`";
}

export const POSTGRESQL: Dialect = {
  lexicon: {
    quotes: "'\"",
    backslash: "after-e",
    dollarQuotes: true,
    brackets: false,
    hashComments: false,
    nestedComments: true,
  },
  readWords: ["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN"],
  refused: [],
  quoteSign: '"',
};

export const MYSQL: Dialect = {
  lexicon: {
    quotes: "'\"`",
    backslash: "always",
    dollarQuotes: false,
    brackets: false,
    hashComments: true,
    nestedComments: false,
  },
  readWords: ["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN"],
  refused: [
    // A read-only transaction does not keep the server from writing files.
    { pattern: /\binto\s+(outfile|dumpfile)\b/i, reason: "INTO OUTFILE and INTO DUMPFILE write a file" },
  ],
  quoteSign: "`",
};

export const SQLITE: Dialect = {
  lexicon: {
    quotes: "'\"`",
    backslash: "never",
    dollarQuotes: false,
    brackets: true,
    hashComments: false,
    nestedComments: false,
  },
  readWords: ["SELECT", "WITH", "VALUES", "EXPLAIN"],
  refused: [],
  quoteSign: '"',
};

export const DUCKDB: Dialect = {
  lexicon: { ...POSTGRESQL.lexicon, nestedComments: false },
  readWords: ["SELECT", "WITH", "VALUES", "TABLE", "FROM", "SHOW", "DESCRIBE", "SUMMARIZE", "EXPLAIN"],
  refused: [],
  quoteSign: '"',
};

/** The server keeps the rest: its queries run with readonly = 1. */
export const CLICKHOUSE: Dialect = {
  lexicon: { ...MYSQL.lexicon, hashComments: false },
  readWords: ["SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS"],
  refused: [{ pattern: /\binto\s+outfile\b/i, reason: "INTO OUTFILE writes a file" }],
  quoteSign: "`",
};

export const TRINO: Dialect = {
  lexicon: { ...POSTGRESQL.lexicon, backslash: "never", dollarQuotes: false, nestedComments: false },
  readWords: ["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "EXPLAIN"],
  refused: [
    { pattern: /\bexplain\s+analyze\b/i, reason: "EXPLAIN ANALYZE runs what it explains" },
    // Such a function hands a text to the engine behind the catalog, which may do anything.
    {
      pattern: /\btable\s*\(\s*(\w+|'')\s*\.\s*(\w+|'')\s*\.\s*(\w+|'')\s*\(/i,
      reason: "a table function of a catalog runs what it is given",
    },
  ],
  quoteSign: '"',
};

export const SNOWFLAKE: Dialect = {
  lexicon: { ...POSTGRESQL.lexicon, backslash: "always", nestedComments: false },
  readWords: ["SELECT", "WITH", "VALUES", "SHOW", "DESCRIBE", "DESC", "EXPLAIN"],
  refused: [{ pattern: /\bsystem\$/i, reason: "a function of the system may change it" }],
  quoteSign: '"',
};

export const BIGQUERY: Dialect = {
  lexicon: { ...MYSQL.lexicon, hashComments: true },
  readWords: ["SELECT", "WITH"],
  refused: [],
  quoteSign: "`",
};

export const ELASTICSEARCH: Dialect = {
  lexicon: { ...POSTGRESQL.lexicon, dollarQuotes: false, backslash: "never" },
  readWords: ["SELECT", "SHOW", "DESCRIBE", "DESC"],
  refused: [],
  quoteSign: '"',
};

/** Where the SQL dialects differ in what is text and what is a comment. */
interface Lexicon {
  /** Signs that quote a text or a name; doubled they stand for themselves. */
  quotes: string;
  /** `\'` does not end a text: always, only after E (PostgreSQL), or never. */
  backslash: "always" | "after-e" | "never";
  /** `$tag$ … $tag$`. */
  dollarQuotes: boolean;
  /** `[name]`. */
  brackets: boolean;
  /** `# …` to the end of the line; `--` must then be followed by a space. */
  hashComments: boolean;
  nestedComments: boolean;
}

export interface Segment {
  kind: "code" | "quoted" | "comment";
  text: string;
}

/**
 * Cuts SQL into code, quoted text and comments. It is there for clear errors and for parameters: what a query
 * may do is decided by the server, to which it goes as one statement of a read-only transaction.
 */
export function scan(sql: string, lexicon: Lexicon): Segment[] {
  const segments: Segment[] = [];
  let codeStart = 0;
  let at = 0;
  while (at < sql.length) {
    const found = specialAt(sql, at, lexicon);
    if (found === undefined) {
      at += 1;
      continue;
    }
    if (at > codeStart) segments.push({ kind: "code", text: sql.slice(codeStart, at) });
    segments.push({ kind: found.kind, text: sql.slice(at, found.end) });
    at = found.end;
    codeStart = at;
  }
  if (at > codeStart) segments.push({ kind: "code", text: sql.slice(codeStart) });
  return segments;
}

interface Special {
  kind: "quoted" | "comment";
  end: number;
}

function specialAt(sql: string, at: number, lexicon: Lexicon): Special | undefined {
  const sign = sql[at]!;
  if (lexicon.quotes.includes(sign)) return { kind: "quoted", end: endOfQuoted(sql, at, lexicon) };
  if (sign === "[" && lexicon.brackets) return { kind: "quoted", end: after(sql, "]", at + 1) };
  if (sign === "$" && lexicon.dollarQuotes) return dollarQuoted(sql, at);
  if (sign === "#" && lexicon.hashComments) return { kind: "comment", end: after(sql, "\n", at) };
  if (sign === "-" && isLineComment(sql, at, lexicon)) return { kind: "comment", end: after(sql, "\n", at) };
  if (sign === "/" && sql[at + 1] === "*") return { kind: "comment", end: endOfComment(sql, at, lexicon) };
  return undefined;
}

function isLineComment(sql: string, at: number, { hashComments }: Lexicon): boolean {
  return hashComments ? /--(?=\s|$)/y.test(sql.slice(at, at + 3)) : sql[at + 1] === "-";
}

/** The place behind the next `sign`, or the end. */
function after(sql: string, sign: string, from: number): number {
  const found = sql.indexOf(sign, from);
  return found === -1 ? sql.length : found + sign.length;
}

function endOfQuoted(sql: string, start: number, { backslash, quotes }: Lexicon): number {
  const quote = sql[start]!;
  const isText = quote === "'" || (quote === '"' && quotes.includes("`") && backslash === "always");
  const isEscaped = /[eE]/.test(sql[start - 1] ?? "") && !/[\w$]/.test(sql[start - 2] ?? "");
  const knowsBackslash = isText && (backslash === "always" || (backslash === "after-e" && isEscaped));
  let at = start + 1;
  while (at < sql.length) {
    if (sql[at] === "\\" && knowsBackslash) at += 2;
    else if (sql[at] !== quote) at += 1;
    else if (sql[at + 1] === quote) at += 2;
    else return at + 1;
  }
  return sql.length;
}

function dollarQuoted(sql: string, at: number): Special | undefined {
  if (/[\w$]/.test(sql[at - 1] ?? "")) return undefined;
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]{0,62})?\$/y;
  tag.lastIndex = at;
  const match = tag.exec(sql);
  return match === null ? undefined : { kind: "quoted", end: after(sql, match[0], at + match[0].length) };
}

function endOfComment(sql: string, start: number, { nestedComments }: Lexicon): number {
  if (!nestedComments) return after(sql, "*/", start + 2);
  let depth = 0;
  for (let at = start; at < sql.length; at += 1) {
    const pair = sql.slice(at, at + 2);
    if (pair === "/*") depth += 1;
    else if (pair === "*/") depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return sql.length;
}
