/** Words of SQL that C9QL does without, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  from: "C9QL has no from: a query reads the rows of its dataset. Leave it out.",
  having:
    "Filter groups in a next statement: select …, sum(x) as total group by …; select * where total > 10",
  join: "C9QL reads one dataset and has no joins.",
  union: "C9QL reads one dataset and has no union.",
  offset: "C9QL has limit but no offset.",
};

/** Functions of SQL that have another name here. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  stddev: "sd",
  stddev_samp: "sd",
  stdev: "sd",
  mean: "avg",
  quantile: "percentile",
  nvl: "ifnull",
  len: "length",
  substr: "substring",
  to_date: "str_to_date",
};

/** What a function of SQL is called here. */
export function sqlFunction(name: string): string | undefined {
  return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
}

/** Words after which nothing is a name. */
export function isSqlWord(word: string): boolean {
  return Object.hasOwn(INSTEAD, word);
}

/** What to do instead of something that SQL has. */
export function sqlHint(text: string): string | undefined {
  if (text.includes("||")) return "Texts are put together by concat(a, b).";
  const word = /\b(from|having|join|union|offset)\b/i.exec(text)?.[1]?.toLowerCase();
  return word === undefined ? undefined : INSTEAD[word];
}
