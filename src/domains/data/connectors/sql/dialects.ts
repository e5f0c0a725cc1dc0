import type { Lexicon } from "./scan.ts";

export interface Dialect {
  lexicon: Lexicon;
  /** How a query may begin. */
  readWords: readonly string[];
  /** What must not stand in its code although it begins like one that reads. */
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
