/**
 * Every chart type, and what is hard to draw: the dashboards of the contact sheet. Their numbers are made up by a rule,
 * so that the same drawings come of them each time.
 */

interface SheetWidget extends Record<string, unknown> {
  name: string;
  dataset: keyof typeof DATASETS;
}

export interface SheetBoard {
  name: string;
  widgets: SheetWidget[];
  filters?: object[];
}

const REGIONS = ["North", "South", "East", "West"];
const PRODUCTS = ["Desk", "Chair", "Lamp", "Shelf", "Sofa", "Rug", "Table", "Bench", "Mirror"];
const LONG = [
  "Wireless noise-cancelling headphones with charging case (2nd generation)",
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
  "Organic fair-trade coffee beans, medium roast, 1 kg resealable bag",
  "https://example.com/catalogue/spring-2026/garden/furniture?page=2",
  "Short",
];
const SCRIPTS = [
  "東京",
  "서울",
  "北京市朝阳区",
  "القاهرة",
  "ירושלים",
  "Αθήνα",
  "Київ",
  "กรุงเทพ",
  "दिल्ली",
  "🚀 Launch",
];

const dayOf = (at: number) => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10);
const hourOf = (at: number) =>
  `${new Date(Date.UTC(2025, 2, 3, at)).toISOString().slice(0, 19).replace("T", " ")}`;
const wave = (at: number, period: number) => 1 + 0.35 * Math.sin((2 * Math.PI * at) / period);
const noise = (at: number) => ((at * 7_919) % 1_000) / 1_000;
const rows = <T>(count: number, rowOf: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => rowOf(i));
const round = (value: number) => Math.round(value * 100) / 100;

const DATASETS = {
  trade: rows(2_912, (i) => {
    const day = i >> 2;
    const amount = (300 + 260 * noise(i)) * wave(day, 365) * (1 + day / 900) * [1.5, 1, 0.7, 0.4][i % 4]!;
    return {
      day: dayOf(day),
      region: REGIONS[i % 4],
      product: PRODUCTS[Math.floor(noise(i * 3 + 1) ** 2 * PRODUCTS.length)],
      channel: ["Web", "Shop", "Phone"][Math.floor(noise(i + 5) * 3)],
      units: 1 + Math.floor(noise(i + 9) * 40),
      revenue: round(amount),
      profit: round(amount * (noise(i + 2) - 0.42)),
      margin_pct: Math.round(noise(i + 4) * 400) / 1_000,
      weekday: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(day + 0) % 7],
    };
  }),
  stages: [
    ["Visited", 48_210],
    ["Signed up", 12_400],
    ["Tried", 7_310],
    ["Bought", 2_204],
    ["Came back", 906],
  ].map(([stage, people]) => ({ stage, people })),
  products: rows(180, (i) => ({
    product: `Item ${i}`,
    kind: ["Indoor", "Outdoor", "Office"][i % 3],
    price: round(12 + 240 * noise(i) ** 2),
    sold: Math.round(900 / (1 + 3 * noise(i)) + 80 * noise(i + 50)),
  })),
  customers: rows(500, (i) => ({
    customer: `Customer ${String(i + 1).padStart(3, "0")}`,
    shop: `Shop ${i % 31}`,
    spent: round(50_000 / (i + 3)),
  })),
  long: LONG.flatMap((article, i) =>
    REGIONS.map((region, j) => ({ article, region, sales: (i + 1) * 1_300 + j * 400 })),
  ),
  scripts: SCRIPTS.map((city, i) => ({ city, people: 1_000 * (SCRIPTS.length - i), kind: SCRIPTS[i % 3] })),
  gaps: rows(24, (i) => ({
    day: `2025-${String(1 + (i % 12)).padStart(2, "0")}-01`,
    team: i % 5 === 0 ? null : `Team ${i % 3}`,
    score: [3, 4, 9].includes(i % 12) ? null : round(50 + 30 * wave(i, 12)),
  })),
  zero: rows(6, (i) => ({ month: dayOf(i * 31), team: `Team ${i % 3}`, count: 0 })),
  one: [{ day: "2025-05-01", team: "Only", count: 42 }],
  wild: ["Tiny", "Small", "Middle", "Huge", "Debt"].map((name, i) => ({
    name,
    size: [0.00002, 41.5, 128_000, 7.4e12, -2.9e11][i],
  })),
  signed: PRODUCTS.map((product, i) => ({ product, change: [420, -310, 180, -95, 60, -40, 22, -8, 0][i] })),
  hours: rows(60, (i) => ({ at: hourOf(i), calls: Math.round(40 * wave(i, 24) + 10 * noise(i)) })),
  groups: rows(16 * 10, (i) => ({
    week: dayOf(7 * (i % 10)),
    team: `Team ${Math.floor(i / 10) + 1}`,
    points: 10 + ((i * 37) % 23),
  })),
  nothing: [{ team: "none", count: 1 }],
};

const trade = (name: string, chart_type: string, more: object): SheetWidget => ({
  name,
  dataset: "trade",
  chart_type,
  ...more,
});
const by = (x_axis: string, ...y_axis: string[]) => ({ x_axis, y_axis });

const CHARTS: SheetBoard = {
  name: "Charts",
  filters: [
    { field: "region", operator: "in", label: "Region" },
    { field: "day", operator: "between", label: "Period" },
  ],
  widgets: [
    trade("Revenue this month", "singletext", {
      ...by("day", "revenue"),
      grain: "month",
      format: "money:EUR",
    }),
    trade("Orders", "singletext", { y_axis: [], aggregate: "count" }),
    trade("Units against plan", "gauge", { y_axis: ["units"], target: 70_000 }),
    trade("Average margin", "gauge", { y_axis: ["margin_pct"], format: "percent" }),
    trade("Revenue by region", "column", { ...by("region", "revenue"), format: "money:EUR" }),
    trade("Revenue by region and channel", "column", { ...by("region", "revenue"), group_by: "channel" }),
    trade("Revenue by month", "line", { ...by("day", "revenue"), grain: "month" }),
    trade("Revenue by month and region", "line", {
      ...by("day", "revenue"),
      group_by: "region",
      grain: "month",
    }),
    trade("Units by week", "area", { ...by("day", "units"), grain: "week" }),
    trade("Revenue by quarter, stacked", "area", {
      ...by("day", "revenue"),
      group_by: "region",
      grain: "quarter",
    }),
    trade("Best products", "bar", by("product", "revenue")),
    trade("Revenue and profit", "bar", by("region", "revenue", "profit")),
    trade("Share of channels", "pie", by("channel", "revenue")),
    trade("Share of products", "donut", by("product", "revenue")),
    {
      name: "Price and sales",
      dataset: "products",
      chart_type: "scatter",
      ...by("price", "sold"),
      group_by: "kind",
    },
    trade("Units by weekday and region", "heatmap", { ...by("weekday", "units"), group_by: "region" }),
    { name: "From visit to return", dataset: "stages", chart_type: "funnel", ...by("stage", "people") },
    trade("Products in regions", "treemap", { ...by("product", "revenue"), group_by: "region" }),
    trade("Latest orders", "datagrid2", {
      x_axis: "day",
      group_by: "product",
      y_axis: ["units", "revenue", "margin_pct"],
    }),
    trade("What stands out", "recommendation", { ...by("day", "revenue"), grain: "month" }),
  ],
};

const EDGES: SheetBoard = {
  name: "Edge cases",
  widgets: [
    {
      name: "Empty by its filter",
      dataset: "trade",
      ...by("region", "revenue"),
      filters: [{ field: "region", value: "Nowhere" }],
    },
    {
      name: "A query that fails",
      dataset: "trade",
      x_axis: "region",
      c9ql: "select region where units > $c9_missing$",
    },
    { name: "Negative values", dataset: "signed", ...by("product", "change") },
    { name: "Negative values, lying", dataset: "signed", chart_type: "bar", ...by("product", "change") },
    { name: "A pie of what is below zero", dataset: "signed", chart_type: "pie", ...by("product", "change") },
    { name: "One point", dataset: "one", chart_type: "line", ...by("day", "count") },
    { name: "One bar", dataset: "one", ...by("team", "count") },
    { name: "One slice", dataset: "one", chart_type: "donut", ...by("team", "count") },
    { name: "500 categories", dataset: "customers", ...by("customer", "spent") },
    { name: "500 categories, lying", dataset: "customers", chart_type: "bar", ...by("customer", "spent") },
    { name: "500 slices", dataset: "customers", chart_type: "pie", ...by("customer", "spent") },
    { name: "500 tiles", dataset: "customers", chart_type: "treemap", ...by("customer", "spent") },
    {
      name: "31 by 40 cells",
      dataset: "customers",
      chart_type: "heatmap",
      ...by("customer", "spent"),
      group_by: "shop",
    },
    { name: "500 rows", dataset: "customers", chart_type: "datagrid2" },
    { name: "Long labels", dataset: "long", ...by("article", "sales") },
    { name: "Long labels, lying", dataset: "long", chart_type: "bar", ...by("article", "sales") },
    {
      name: "Long labels in a legend",
      dataset: "long",
      chart_type: "column",
      ...by("region", "sales"),
      group_by: "article",
    },
    {
      name: "A very long title that tells all about what is shown here, and then goes on to tell even more about how it was made and by whom",
      dataset: "long",
      chart_type: "donut",
      ...by("article", "sales"),
    },
    {
      name: "Gaps in a line",
      dataset: "gaps",
      chart_type: "line",
      ...by("day", "score"),
      aggregate: "avg",
      grain: "month",
    },
    { name: "No name", dataset: "gaps", ...by("team", "score") },
    { name: "All zero", dataset: "zero", ...by("team", "count") },
    {
      name: "All zero, a line",
      dataset: "zero",
      chart_type: "line",
      ...by("month", "count"),
      grain: "month",
    },
    { name: "All zero, a pie", dataset: "zero", chart_type: "pie", ...by("team", "count") },
    { name: "All zero, a gauge", dataset: "zero", chart_type: "gauge", y_axis: ["count"] },
    { name: "From tiny to huge", dataset: "wild", ...by("name", "size") },
    { name: "From tiny to huge, as rows", dataset: "wild", chart_type: "datagrid2" },
    { name: "Scripts", dataset: "scripts", ...by("city", "people") },
    { name: "Scripts, lying", dataset: "scripts", chart_type: "bar", ...by("city", "people"), top: 10 },
    { name: "スクリプト 表", dataset: "scripts", chart_type: "datagrid2" },
    { name: "Hours", dataset: "hours", chart_type: "line", ...by("at", "calls"), grain: "hour" },
    {
      name: "Sixteen teams",
      dataset: "groups",
      chart_type: "line",
      ...by("week", "points"),
      group_by: "team",
      grain: "week",
    },
    {
      name: "Sixteen teams, stacked",
      dataset: "groups",
      chart_type: "area",
      ...by("week", "points"),
      group_by: "team",
      grain: "week",
    },
  ],
};

/** Every chart in the smallest place that somebody would give it. */
const TINY: SheetBoard = {
  name: "Tiny",
  widgets: CHARTS.widgets.map(({ name, ...widget }, i) => ({
    name,
    ...widget,
    place: { col: 1 + 4 * (i % 6), row: 1 + 4 * Math.floor(i / 6), sizeX: 4, sizeY: 4 },
  })),
};

export const SHEETS: readonly SheetBoard[] = [CHARTS, EDGES, TINY];

/** Makes the dashboards; their ids by name. */
export async function makeSheets(
  push: (name: string, rows: object[]) => Promise<number>,
  create: (dashboard: object) => Promise<{ dashboard_id: number }>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const [name, content] of Object.entries(DATASETS)) ids.set(name, await push(`Sheet ${name}`, content));
  const made = new Map<string, number>();
  for (const { widgets, ...board } of SHEETS) {
    const own = widgets.map(({ dataset, ...widget }) => ({ ...widget, dataset_id: ids.get(dataset) }));
    made.set(board.name, (await create({ ...board, widgets: own })).dashboard_id);
  }
  return made;
}

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

/** What stands in each widget of a page, line by line: its marks are counted, its words are all there. */
export function structureOf(page: string): string {
  return page
    .split('<section class="widget')
    .slice(1)
    .map((section) => {
      const [, title = ""] = /<h2[^>]*>(.*?)<\/h2>/s.exec(section) ?? [];
      const [, note = ""] = /<p class="note">(.*?)<\/p>/s.exec(section) ?? [];
      return [`# ${plain(title)}`, ...bodyOf(section), ...(note === "" ? [] : [`note: ${plain(note)}`])].join(
        "\n",
      );
    })
    .join("\n\n");
}

function bodyOf(section: string): string[] {
  const [svg] = /<svg .*<\/svg>/s.exec(section) ?? [];
  if (svg !== undefined) {
    const marks = new Set([...svg.matchAll(/ecmeta_data_index="(\d+)"/g)].map(([, at]) => at)).size;
    const words = [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map(([, text = ""]) => plain(text));
    return [`marks: ${marks}`, `words: ${words.join(" | ")}`];
  }
  const rows = [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => plain(cell)).join(" | "),
  );
  if (rows.length > 0)
    return [`rows: ${rows.length}`, ...rows.slice(0, 3), ...(rows.length > 3 ? [rows.at(-1) ?? ""] : [])];
  const [, text = ""] = /class="text[^>]*>(.*?)<\/(?:p|div)>/s.exec(section) ?? [];
  return [`text: ${plain(text)}`];
}
