import { randomFrom } from "../retrieval/statistics.ts";

const random = randomFrom(11);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const VERBS =
  "owns likes moved sold repaired ordered visited planned cancelled renewed reviewed signed".split(" ");
const THINGS =
  "contract invoice bicycle garden server report kitchen workshop camera boat licence shipment painting policy".split(
    " ",
  );
const PLACES = "Detmold Lemgo Lisbon Kyoto Oslo Porto Gdansk Quito Leeds Turin Bergen Malmo".split(" ");
const RELATIONS = ["REFERENCES", "DEPENDS_ON", "CAUSES", "SUPPORTS", "RELATED_TO"];

/** Few syllables make many names. */
function name(number: number): string {
  const syllables = "ka lo mi ren tar vo su pel dri nak zu fen".split(" ");
  let text = "";
  for (let left = number + 12; left > 0; left = Math.floor(left / syllables.length))
    text += syllables[left % syllables.length];
  return text[0]!.toUpperCase() + text.slice(1);
}

export interface Fact {
  memory_id: string;
  title: string;
  content: string;
  tags: string[];
  relations: { rel_type: string; to: string }[];
}

/** So many facts with five relations each, to others anywhere among them. */
export function makeFacts(count: number): Fact[] {
  return Array.from({ length: count }, (_, i) => ({
    memory_id: `fact_${i}`,
    title: `${name(i)} and the ${pick(THINGS)}`,
    content: `${name(i)} ${pick(VERBS)} the ${pick(THINGS)} in ${pick(PLACES)} with ${name(Math.floor(random() * count))}, number ${Math.floor(random() * 10_000)}.`,
    tags: [pick(THINGS)],
    relations: RELATIONS.map((rel_type) => ({ rel_type, to: `fact_${Math.floor(random() * count)}` })).filter(
      ({ to }) => to !== `fact_${i}`,
    ),
  }));
}

export function question(count: number): string {
  return `What ${pick(["did", "does"])} ${name(Math.floor(random() * count))} do with the ${pick(THINGS)} in ${pick(PLACES)}?`;
}
