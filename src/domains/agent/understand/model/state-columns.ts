import type { Schema, SchemaField } from "../../query/schema.ts";
import type { Key } from "../../query/semantic-query.ts";
import { deedsOf } from "../lexicon/deeds.ts";
import { foreignLink } from "./model-words.ts";

/** Dates until when something should be done. */
const DUE =
  /(^|_)(due|required|promised|expected|deadline|planned|scheduled|estimated|agreed|needed|target|soll|frist|faelligkeit|fälligkeit|faellig|fällig)(_|$)/i;
/** What is done by a date like that. */
const DONE =
  /^(delivery|shipment|completion|closing|resolution|arrival|receipt|return|payment|end|submission|repair)$/;
const STOCK =
  /(^|_)(stock|inventory|on_hand|in_stock|available|bestand|lagerbestand|vorrat)(_|$)|^(copies|units|items)_available$/i;
/** How much there should be, is to come, or is worth: no stock. */
const THRESHOLD =
  /(^|_)(reorder|minimum|min|safety|target|threshold|level|point|max|maximum|meldebestand|mindestbestand)(_|$)/i;
const NO_STOCK = /(^|_)(value|price|cost|date|on_order|ordered|turnover|days)(_|$)/i;

/** Dates of one dataset by which something is late or in time. */
export interface Deadline {
  ds: string;
  due: Key;
  done: Key;
  /** It was paid then, and something else was done before. */
  isPaid?: true;
}

/** Each date of a deed beside a date until when it should be done. */
export function deadlinesIn(schema: Schema): Deadline[] {
  return [...schema.datasets.values()].flatMap(({ name: ds, fields }) => {
    const dates = [...fields.values()].filter(({ kind }) => kind === "date").map(({ name }) => name);
    const dues = dates.filter((field) => DUE.test(field));
    const dones = dates.filter(
      (field) => !DUE.test(field) && deedsOf(field).nouns.some((noun) => DONE.test(noun)),
    );
    const isPaid = (field: string) => dones.length > 1 && deedsOf(field).nouns.includes("payment");
    return dues.flatMap((due) =>
      dones.map((done) => ({
        ds,
        due: { ds, field: due },
        done: { ds, field: done },
        ...(isPaid(done) && { isPaid: true as const }),
      })),
    );
  });
}

/** Dates on which something came back. */
export function returnsIn(schema: Schema): Key[] {
  return keysIn(
    schema,
    ({ kind, name }) => kind === "date" && !DUE.test(name) && deedsOf(name).nouns.includes("return"),
  );
}

/** Numbers of what is there. */
export function stocksIn(schema: Schema): Key[] {
  return keysIn(
    schema,
    ({ kind, name }) =>
      kind === "number" && STOCK.test(name) && !THRESHOLD.test(name) && !NO_STOCK.test(name),
  );
}

/** Whether a number says how much there should be. */
export function isThreshold({ field }: Key): boolean {
  return THRESHOLD.test(field);
}

function keysIn(schema: Schema, isMeant: (field: SchemaField) => boolean): Key[] {
  return [...schema.datasets.values()].flatMap(({ name: ds, fields }) =>
    [...fields.values()]
      .filter((field) => isMeant(field) && foreignLink(schema, ds, field.name) === undefined)
      .map(({ name: field }) => ({ ds, field })),
  );
}
