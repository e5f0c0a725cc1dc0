import { link } from "../../src/domains/agent/reader/link.ts";
import { linkSchemaOf } from "../../src/domains/agent/reader/schema.ts";
import { languageOfQuestion } from "../../src/domains/agent/reader/words.ts";
import type { Example } from "./examples.ts";
import { type Gold, kindOf } from "./gold.ts";
import { bucketOf } from "./sets.ts";

/** Of so many queries of one table without conditions, one is asked in other words as well. */
const RARITY = 2;

/** The same queries as people put them in a hurry, and in German: sets of questions are written in one style each. */
export function otherStyles(examples: readonly Example[]): Example[] {
  const queries = new Map(
    examples.map((example) => [`${example.set} ${example.question.gold_sql}`, example]),
  );
  return [...queries.values()].flatMap((example) => {
    const { gold, question, collected } = example;
    const key = bucketOf(`style ${question.id}`, 1_000);
    const isPlain = gold?.tables.length === 1 && gold.where.length === 0 && gold.having.length === 0;
    if (gold === undefined || !isPlain || key % RARITY !== 0) return [];
    const texts = textsFor(example, gold);
    const text = texts[key % Math.max(1, texts.length)];
    if (text === undefined) return [];
    const schema = linkSchemaOf(collected.knowledge, languageOfQuestion(text));
    const asked = { ...question, id: `${question.id}-style`, question: text };
    return [{ ...example, schema, question: asked, linked: link(schema, text) }];
  });
}

const AGGREGATES: Readonly<Record<string, { en: string; de: string }>> = {
  avg: { en: "average", de: "durchschnittliche" },
  sum: { en: "total", de: "gesamte" },
  max: { en: "highest", de: "höchste" },
  min: { en: "lowest", de: "niedrigste" },
};

function textsFor({ schema }: Example, gold: Gold): string[] {
  const named = (column: number) => schema.columns[column]?.words.join(" ") ?? "";
  const table = schema.tables[gold.tables[0] ?? -1]?.words.join(" ") ?? "";
  const tables = table.endsWith("s") ? table : `${table}s`;
  const shown = gold.select.flatMap(({ agg, column }) => (agg === "" && column >= 0 ? [named(column)] : []));
  const [english, german] = [listed(shown, "and"), listed(shown, "und")];
  const [number] = gold.select.filter(({ agg }) => agg !== "");
  const group = named(gold.group[0] ?? -1);
  const [order] = gold.order;
  const by = named(order?.column ?? -1);
  const isDown = gold.direction === "desc";
  switch (kindOf(gold)) {
    case "group":
      if (gold.select.length !== 2 || shown.length !== 1 || number === undefined) return [];
      return number.agg === "count"
        ? [
            `${tables} by ${group}`,
            `number of ${tables} per ${group}`,
            `Anzahl ${tables} pro ${group}`,
            `Wie viele ${tables} gibt es je ${group}?`,
          ]
        : aggregated(number, (agg, language) =>
            language === "en"
              ? `${agg} ${named(number.column)} of ${tables} by ${group}`
              : `${agg} ${named(number.column)} der ${tables} nach ${group}`,
          );
    case "agg":
      if (gold.select.length !== 1 || number === undefined || number.isDistinct) return [];
      return number.agg === "count"
        ? [`how many ${tables}`, `Wie viele ${tables} gibt es?`, `Anzahl der ${tables}`]
        : aggregated(number, (agg, language) =>
            language === "en"
              ? `${agg} ${named(number.column)} of ${tables}`
              : `Wie hoch ist die ${agg} ${named(number.column)} der ${tables}?`,
          );
    case "plain":
      return shown.length === gold.select.length
        ? [`${english} of ${tables}`, `Zeige ${german} aller ${tables}`, `${tables} with ${english}`]
        : [];
    case "order":
      return shown.length === gold.select.length && order?.agg === ""
        ? [
            `${english} of ${tables} sorted by ${by} ${isDown ? "descending" : "ascending"}`,
            `Zeige ${german} aller ${tables}, sortiert nach ${by} ${isDown ? "absteigend" : "aufsteigend"}`,
          ]
        : [];
    case "top":
      if (shown.length !== gold.select.length || order?.agg !== "") return [];
      return gold.limit > 1
        ? [`${english} of the top ${gold.limit} ${tables} by ${isDown ? "highest" : "lowest"} ${by}`]
        : [
            `${english} of the ${table} with the ${isDown ? "highest" : "lowest"} ${by}`,
            `Zeige ${german} der ${tables} mit der ${isDown ? "höchsten" : "niedrigsten"} ${by}`,
          ];
    case "gtop":
      return shown.length === 1 && gold.limit === 1 && order?.agg === "count" && isDown
        ? [`${group} with the most ${tables}`, `Welche ${group} hat die meisten ${tables}?`]
        : [];
    default:
      return [];
  }
}

function aggregated({ agg }: { agg: string }, say: (agg: string, language: "en" | "de") => string): string[] {
  const word = AGGREGATES[agg];
  return word === undefined ? [] : [say(word.en, "en"), say(word.de, "de")];
}

function listed(names: readonly string[], and: string): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${and} ${names.at(-1)}`;
}
