import { MS } from "../../kernel/time.ts";

/**
 * Hafenrad: a maker of electric bicycles that does not exist. Everything that happens to it is counted from the day on
 * which the workspace was made, so that the story is always of late.
 */
export interface Product {
  id: number;
  name: string;
  category: string;
  price: number;
  cost: number;
  /** How often it is bought, compared with the others. */
  weight: number;
}

export const PRODUCTS: readonly Product[] = [
  { id: 1, name: "City One", category: "City bikes", price: 2_399, cost: 1_510, weight: 20 },
  { id: 2, name: "City Step", category: "City bikes", price: 2_199, cost: 1_390, weight: 15 },
  { id: 3, name: "Trail 500", category: "Trekking bikes", price: 2_899, cost: 1_850, weight: 14 },
  { id: 4, name: "Trail 700", category: "Trekking bikes", price: 3_699, cost: 2_400, weight: 8 },
  { id: 5, name: "Cargo Max", category: "Cargo bikes", price: 4_999, cost: 3_300, weight: 6 },
  { id: 6, name: "Cargo Lite", category: "Cargo bikes", price: 3_299, cost: 2_080, weight: 2 },
  { id: 7, name: "Helmet Hanse", category: "Accessories", price: 89, cost: 34, weight: 13 },
  { id: 8, name: "Lock Anker", category: "Accessories", price: 119, cost: 48, weight: 11 },
  { id: 9, name: "Child Seat Kai", category: "Accessories", price: 149, cost: 71, weight: 7 },
  { id: 10, name: "Service Check", category: "Service", price: 129, cost: 60, weight: 8 },
];

export const COUNTRIES = [
  { name: "Germany", weight: 48 },
  { name: "Netherlands", weight: 18 },
  { name: "Denmark", weight: 14 },
  { name: "Austria", weight: 12 },
  { name: "Switzerland", weight: 8 },
] as const;

export const SALES_CHANNELS = [
  { name: "Online shop", weight: 46 },
  { name: "Dealers", weight: 38 },
  { name: "Own stores", weight: 16 },
] as const;

/** How many years of data there are on the first day. */
const YEARS = 3;

/** What happened, in days before the workspace was made. */
export const STORY = {
  /** Cargo Lite comes out, and sells better every month. */
  launch: 430,
  /** City One gets dearer, and is bought less. */
  priceRise: 240,
  /** The importer in Denmark gives up. */
  denmarkLost: 150,
  /** The online shop is down on three days. */
  outage: [38, 37, 36],
} as const;

export const NEW_CITY_ONE_PRICE = 2_599;

/** Days since 1970, in UTC. */
export type Day = number;

export function dayOf(date: Date): Day {
  return Math.floor(date.getTime() / MS.day);
}

export function textOf(day: Day): string {
  return new Date(day * MS.day).toISOString().slice(0, 10);
}

export function firstDay(anchor: Day): Day {
  const date = new Date(anchor * MS.day);
  return dayOf(new Date(Date.UTC(date.getUTCFullYear() - YEARS, date.getUTCMonth(), date.getUTCDate())));
}

export function isOutage(day: Day, anchor: Day): boolean {
  return (STORY.outage as readonly number[]).includes(anchor - day);
}

/** Numbers between 0 and 1 that are the same whenever they are asked for (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T extends { weight: number }>(list: readonly T[], roll: number): T {
  const total = list.reduce((sum, { weight }) => sum + weight, 0);
  let left = roll * total;
  for (const one of list) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return list.at(-1) as T;
}

/** Around a mean, as counts of independent things are. */
export function poisson(mean: number, roll: () => number): number {
  const floor = Math.exp(-Math.min(mean, 500));
  let product = roll();
  let count = 0;
  for (; product > floor; count += 1) product *= roll();
  return count;
}
