/** Words of SQL that C9QL does without, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  from: "C9QL has no from: a query reads the rows of its dataset. Leave it out.",
  having:
    "Filter groups in a next statement: select …, sum(x) as total group by …; select * where total > 10",
  join: "C9QL reads one dataset and has no joins.",
  union: "C9QL reads one dataset and has no union.",
  offset: "C9QL has limit but no offset.",
};

/** What to do instead of something that SQL has. */
export function sqlHint(text: string): string | undefined {
  const word = /\b(from|having|join|union|offset)\b/i.exec(text)?.[1]?.toLowerCase();
  return word === undefined ? undefined : INSTEAD[word];
}
