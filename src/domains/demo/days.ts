import { MS } from "../../kernel/time.ts";
import {
  COUNTRIES,
  type Day,
  dice,
  isOutage,
  NEW_CITY_ONE_PRICE,
  PRODUCTS,
  type Product,
  pick,
  poisson,
  SALES_CHANNELS,
  STORY,
  textOf,
} from "./company.ts";

export type Row = Record<string, string | number | null>;

/** What a day brings, by dataset. */
export interface DayRows {
  orders: Row[];
  marketing: Row[];
  web_funnel: Row[];
  support_tickets: Row[];
}

const ORDERS_A_DAY = 21;
const CUSTOMERS = 1_600;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** Bicycles are bought in spring and summer. */
const SEASON_PEAK_DAY = 150;

const AD_CHANNELS = [
  { name: "Search ads", share: 0.34, cost: 58 },
  { name: "Social media", share: 0.24, cost: 49 },
  { name: "Newsletter", share: 0.18, cost: 9 },
  { name: "Comparison sites", share: 0.14, cost: 37 },
  { name: "Test ride events", share: 0.1, cost: 96 },
] as const;

const TOPICS = [
  { name: "Delivery", weight: 26 },
  { name: "Battery", weight: 20 },
  { name: "Brakes", weight: 14 },
  { name: "Invoice", weight: 13 },
  { name: "Warranty", weight: 12 },
  { name: "Returns", weight: 9 },
  { name: "Online shop", weight: 6 },
] as const;

const CONTACTS = [
  { name: "E-mail", weight: 45 },
  { name: "Chat", weight: 32 },
  { name: "Phone", weight: 23 },
] as const;

const FIRST = [
  "Anna",
  "Jonas",
  "Mila",
  "Emil",
  "Sofie",
  "Lars",
  "Nora",
  "Tim",
  "Eva",
  "Bram",
  "Ida",
  "Felix",
];
const LAST = [
  "Brandt",
  "Visser",
  "Holm",
  "Gruber",
  "Keller",
  "Petersen",
  "Janssen",
  "Lorenz",
  "Moser",
  "Frei",
];

/** The customers, of whom each lives in one country. */
export function customers(): Row[] {
  const roll = dice(11);
  return Array.from({ length: CUSTOMERS }, (_, i) => ({
    customer_id: i + 1,
    name: `${FIRST[Math.floor(roll() * FIRST.length)]} ${LAST[Math.floor(roll() * LAST.length)]} ${i + 1}`,
    customer_country: countryOf(i + 1),
    segment: roll() < 0.78 ? "Private" : roll() < 0.6 ? "Company fleet" : "City or club",
  }));
}

function countryOf(customer: number): string {
  return pick(COUNTRIES, dice(customer * 7_919)()).name;
}

const CUSTOMERS_OF = new Map<string, number[]>();
function customerIn(country: string, roll: number): number {
  if (CUSTOMERS_OF.size === 0)
    for (let id = 1; id <= CUSTOMERS; id += 1) {
      const own = CUSTOMERS_OF.get(countryOf(id)) ?? [];
      CUSTOMERS_OF.set(countryOf(id), [...own, id]);
    }
  const own = CUSTOMERS_OF.get(country) as number[];
  // A few buy often, most once or twice.
  return own[Math.floor(roll ** 1.6 * own.length)] as number;
}

/** Everything that happened on one day: always the same for the same day and story. */
export function rowsOf(day: Day, anchor: Day): DayRows {
  const roll = dice(day * 2_654_435_761);
  const orders = ordersOf(day, anchor, roll);
  const online = orders.filter(({ sales_channel }) => sales_channel === "Online shop").length;
  const { marketing, visits } = marketingOf(day, { online, orders: usualOrders(day) }, roll);
  return {
    orders,
    marketing,
    web_funnel: funnelOf(day, { visits, online }, roll),
    support_tickets: ticketsOf(day, anchor, roll),
  };
}

/** Without chance and without what happened. */
function usualOrders(day: Day): number {
  const date = new Date(day * MS.day);
  const dayOfYear = (day * MS.day - Date.UTC(date.getUTCFullYear(), 0, 1)) / MS.day;
  const season = 1 + 0.5 * Math.cos(((dayOfYear - SEASON_PEAK_DAY) / 365.25) * 2 * Math.PI);
  const yule = date.getUTCMonth() === 11 && date.getUTCDate() < 21 ? 1.25 : 1;
  const growth = 1.06 ** ((day - 20_000) / 365.25);
  const weekday = date.getUTCDay() === 0 ? 0.62 : date.getUTCDay() === 6 ? 1.2 : 1.03;
  return ORDERS_A_DAY * season * yule * growth * weekday;
}

function ordersOf(day: Day, anchor: Day, roll: () => number): Row[] {
  const products = PRODUCTS.map((product) => ({ ...product, weight: demandOf(product, day, anchor) }));
  const total = products.reduce((sum, { weight }) => sum + weight, 0);
  // A product that is bought more brings more orders; it does not take them from the others.
  const mean = (usualOrders(day) * total) / 102;
  const isLost = day >= anchor - STORY.denmarkLost;
  const orders: Row[] = [];
  for (let n = poisson(mean, roll); n > 0; n -= 1) {
    const country = pick(COUNTRIES, roll()).name;
    const channel = pick(SALES_CHANNELS, roll()).name;
    const product = pick(products, roll());
    const [who, dear, many] = [roll(), roll(), roll()];
    if (country === "Denmark" && isLost && (channel !== "Online shop" || who < 0.55)) continue;
    if (channel === "Online shop" && isOutage(day, anchor)) continue;
    const quantity = product.price < 200 && many > 0.7 ? 2 : 1;
    const discount = dear > 0.88 ? 0.1 : dear > 0.76 ? 0.05 : 0;
    const unitPrice = priceOf(product, day, anchor) * (1 - discount);
    orders.push({
      order_id: `O${textOf(day).replaceAll("-", "")}-${orders.length + 1}`,
      order_date: textOf(day),
      customer_id: customerIn(country, who),
      product_id: product.id,
      product: product.name,
      category: product.category,
      country,
      sales_channel: channel,
      quantity,
      unit_price: money(unitPrice),
      revenue: money(unitPrice * quantity),
      cost: product.cost * quantity,
    });
  }
  return orders;
}

function demandOf({ id, weight }: Product, day: Day, anchor: Day): number {
  if (id === 6) {
    const age = day - (anchor - STORY.launch);
    return age < 0 ? 0 : Math.min(weight * Math.exp(age / 190), 24);
  }
  return id === 1 && day >= anchor - STORY.priceRise ? weight * 0.68 : weight;
}

function priceOf({ id, price }: Product, day: Day, anchor: Day): number {
  return id === 1 && day >= anchor - STORY.priceRise ? NEW_CITY_ONE_PRICE : price;
}

function marketingOf(
  day: Day,
  { online, orders }: { online: number; orders: number },
  roll: () => number,
): { marketing: Row[]; visits: number } {
  const marketing = AD_CHANNELS.map(({ name, share, cost }) => {
    const leads = poisson(orders * 0.9 * share, roll);
    const visits = Math.round(orders * share * 12 * (0.85 + 0.3 * roll()));
    return {
      day: textOf(day),
      channel: name,
      spend: money(leads * cost * (0.8 + 0.4 * roll()) + visits * 0.15),
      visits,
      test_rides_booked: leads,
      online_orders: Math.round(online * share),
    };
  });
  return { marketing, visits: marketing.reduce((sum, each) => sum + each.visits, 0) };
}

function funnelOf(
  day: Day,
  { visits, online }: { visits: number; online: number },
  roll: () => number,
): Row[] {
  const viewed = Math.round(visits * (0.52 + 0.06 * roll()));
  const baskets = Math.round(online * (3.2 + 0.6 * roll()));
  const paying = Math.round(online * (1.5 + 0.2 * roll()));
  const stages: [string, number][] = [
    ["1 Visit", visits],
    ["2 Product page", viewed],
    ["3 Basket", baskets],
    ["4 Checkout", paying],
    ["5 Order", online],
  ];
  return stages.map(([stage, people]) => ({ day: textOf(day), stage, people }));
}

function ticketsOf(day: Day, anchor: Day, roll: () => number): Row[] {
  const isDown = isOutage(day, anchor);
  const sinceLost = day - (anchor - STORY.denmarkLost);
  const fromDenmark = sinceLost >= 0 && sinceLost < 30 ? 4 : 0;
  const usual = poisson(usualOrders(day) * 0.31, roll);
  const down = isDown ? poisson(48, roll) : 0;
  const lost = poisson(fromDenmark, roll);
  const products = PRODUCTS.map((product) => ({ ...product, weight: demandOf(product, day, anchor) }));
  return Array.from({ length: usual + down + lost }, (_, i) => {
    const isOfOutage = i >= usual && i < usual + down;
    const isOfDenmark = i >= usual + down;
    const product = pick(products, roll());
    const country = isOfDenmark ? "Denmark" : pick(COUNTRIES, roll()).name;
    const wait = money(-Math.log(1 - roll() * 0.98) * (isDown ? 9 : 3.2));
    const happy = 4.5 - wait * 0.18 - (isOfOutage || isOfDenmark ? 1.4 : 0) + (roll() - 0.5) * 2;
    // Most write in the morning and in the evening.
    const hour = roll() < 0.55 ? 8 + Math.floor(roll() * 5) : 13 + Math.floor(roll() ** 1.4 * 9);
    return {
      ticket_id: `T${textOf(day).replaceAll("-", "")}-${i + 1}`,
      opened_on: textOf(day),
      weekday: WEEKDAYS[(new Date(day * MS.day).getUTCDay() + 6) % 7] as string,
      hour,
      topic: isOfOutage ? "Online shop" : isOfDenmark ? "Delivery" : pick(TOPICS, roll()).name,
      product: product.name,
      ticket_country: country,
      contact_by: pick(CONTACTS, roll()).name,
      first_reply_hours: wait,
      satisfaction: Math.max(1, Math.min(5, Math.round(happy))),
    };
  });
}

function money(amount: number): number {
  return Math.round(amount * 100) / 100;
}
