import type { Vocabulary } from "./language.ts";

const DENIES = /(?<!\p{L})(?:excluding|except(?: for)?|without|ohne|außer|ausgenommen|exklusive)(?!\p{L})/giu;
const JOINS =
  /^(?:\s*,\s*(?:and|or|und|oder|&)?\s*|\s+(?:and|or|und|oder|&)\s+)(?:(?:the|any|die|der|das)\s+)?/iu;
/** Words of one value. */
const LONGEST = 4;

/** Fields that have a value by this name; none where it is none. */
type FieldsOf = (words: string) => readonly string[];

/** "excluding Germany and accessories": what is joined is left out as well, also where it is of another field. */
export function deniedAll(text: string, fieldsOf: FieldsOf): string {
  let put = text;
  for (const { 0: word, index } of [...text.matchAll(DENIES)].toReversed()) {
    const from = index + word.length;
    put = put.slice(0, from) + deniedIn(put.slice(from), word, fieldsOf);
  }
  return put;
}

function deniedIn(behind: string, word: string, fieldsOf: FieldsOf): string {
  const lead = /^\s+(?:(?:the|any|die|der|das)\s+)?/iu.exec(behind)?.[0] ?? "";
  let last = valueAt(behind.slice(lead.length), fieldsOf);
  let said = lead + (last?.text ?? "");
  let rest = behind.slice(said.length);
  while (last !== undefined) {
    const join = JOINS.exec(rest)?.[0];
    const next = join === undefined ? undefined : valueAt(rest.slice(join.length), fieldsOf);
    if (join === undefined || next === undefined) break;
    const { fields } = last;
    const isSame = next.fields.some((field) => fields.includes(field));
    said += isSame ? join + next.text : ` and ${word} ${next.text}`;
    rest = rest.slice(join.length + next.text.length);
    last = next;
  }
  return said + rest;
}

function valueAt(text: string, fieldsOf: FieldsOf): { text: string; fields: readonly string[] } | undefined {
  for (let words = LONGEST; words > 0; words -= 1) {
    const [said] =
      new RegExp(String.raw`^[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+){${words - 1}}`, "u").exec(text) ?? [];
    const fields = said === undefined ? [] : fieldsOf(said);
    if (said !== undefined && fields.length > 0) return { text: said, fields };
  }
  return undefined;
}

/** The fields of which a word is a value, of one or of several. */
export function fieldsWith(norms: readonly string[], values: Vocabulary["values"]): string[] {
  const forms = norms.flatMap((norm) => [norm, norm.replace(/s$/, ""), norm.replace(/(?:en|n|e)$/, "")]);
  const entries = forms.flatMap((form) => (values.get(form) ?? []) as { sense: Valued }[]);
  return [...new Set(entries.flatMap(({ sense: { cond, rel } }) => (cond ?? rel?.if)?.key?.field ?? []))];
}

/** What a value says: of which field it is, or of whose name. */
interface Valued {
  cond?: { key?: { field: string } };
  rel?: { if?: { key?: { field: string } } };
}
