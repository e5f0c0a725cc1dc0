import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import type { Chart } from "./chart.ts";
import { type ChartDrawing, drawingOf } from "./drawing.ts";
import { measure } from "./fonts.ts";
import { columnFormatter, formatter, knownLocale, labelFormatter } from "./formats.ts";
import { lookShape } from "./look.ts";
import { pictureOf } from "./render-svg.ts";
import { oneLine, shorten, wrap } from "./text.ts";

const LOOK = lookShape.parse({});
const bars = (data: (number | null)[], more: Partial<Chart> = {}): Chart => ({
  type: "bar",
  title: "Sales",
  categories: data.map((_, i) => `c${i}`),
  series: [{ label: "s", data }],
  ...more,
});

// biome-ignore lint/suspicious/noExplicitAny: the options of a chart are a tree of many shapes.
type Option = any;

function optionOf(chart: Chart): Option {
  const drawing = drawingOf(chart, LOOK, measure);
  expect(drawing.kind).toBe("chart");
  return (drawing as ChartDrawing).option;
}

/** The texts and the names of the elements of a picture, which must be well-formed. */
function read(chart: Chart, look = LOOK): { texts: string[]; elements: Set<string>; svg: string } {
  const { svg } = pictureOf(drawingOf(chart, look, measure), look);
  const texts: string[] = [];
  const elements = new Set<string>();
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => {
    elements.add(name);
    if (name === "text") texts.push("");
  });
  parser.on("text", (text) => {
    if (texts.length > 0 && text.trim() !== "") texts[texts.length - 1] += text;
  });
  parser.write(svg).close();
  return { texts, elements, svg };
}

describe("numbers", () => {
  it.each([
    ["money:EUR", "full", "en-US", 1234567.891, "€1,234,567.89"],
    ["money:EUR", "full", "de-DE", 1234567.891, "1.234.567,89 €"],
    ["money:JPY", "full", "en-US", 1234.5, "¥1,235"],
    ["money:USD", "compact", "en-US", 1_250_000, "$1.25M"],
    ["money:EUR", "short", "en-US", -182_345, "−€182K"],
    ["percent", "full", "en-US", 0.1234, "12.3%"],
    ["percent:whole", "short", "en-US", 45, "45%"],
    ["integer", "compact", "en-US", 800, "800"],
    ["integer", "full", "en-US", 1234567, "1,234,567"],
    ["number", "short", "en-US", 0.00012345, "0.000123"],
    ["number", "full", "en-US", 1234.5678, "1,234.568"],
    ["number", "compact", "en-US", 1e300, "1E300"],
    ["money:EUR", "short", "en-US", 5e-324, "€5E-324"],
    [undefined, "compact", "en-US", 1500, "1.5K"],
  ] as const)("%s, %s, %s: %d", (name, style, locale, value, shown) => {
    expect(formatter(name, style, locale)(value).replaceAll(/\s/g, " ")).toBe(shown);
  });

  it("of one column have as many decimals each, unless a small one would read as zero", () => {
    const column = (values: number[]) => values.map(columnFormatter("number", values, "en-US"));
    expect(column([3_110_482.05, 2_978_631.1, 5])).toEqual(["3,110,482.05", "2,978,631.10", "5.00"]);
    expect(column([48.137154, 11.5])).toEqual(["48.1372", "11.5000"]);
    expect(column([3, 4])).toEqual(["3", "4"]);
    expect(column([0.00001, 12_345.5])).toEqual(["0.00001", "12,345.5"]);
    expect(columnFormatter("number", [], "en-US")(1.5)).toBe("1.5");
  });

  it.each([
    ["money:EUR", "en-US", [98.4, 39, 11.1], ["€98.40", "€39.00", "€11.10"]],
    ["money:EUR", "en-US", [98, -39], ["€98", "−€39"]],
    ["money:EUR", "de-DE", [3.11e6, 2e6, 123_456], ["3,11 Mio. €", "2,00 Mio. €", "123.456 €"]],
    ["money:EUR", "en-US", [3.11e6, 2e6, 123_456], ["€3.11M", "€2.00M", "€123K"]],
    ["number", "en-US", [123.4, 5.25, 35], ["123.4", "5.3", "35.0"]],
    ["number", "en-US", [0.5, 0.0001], ["0.5", "0.0001"]],
    ["integer", "ar-EG", [5, 35], ["٥", "٣٥"]],
  ] as const)("beside the marks of one chart are alike: %s, %s, %j", (name, locale, values, shown) => {
    expect(
      values.map(labelFormatter(name, values, locale)).map((text) => text.replaceAll(/\s/g, " ")),
    ).toEqual(shown);
  });

  it("are written in English where a language is not known", () => {
    expect([knownLocale("de-DE"), knownLocale("no language"), knownLocale(undefined)]).toEqual([
      "de-DE",
      "en-US",
      "en-US",
    ]);
  });
});

describe("texts", () => {
  const style = { size: 12, weight: 400, measure } as const;

  it("are as wide as the font has them", () => {
    expect(measure("", 12, 400)).toBe(0);
    expect(measure("WWW", 12, 400)).toBeGreaterThan(2 * measure("iii", 12, 400));
    expect(measure("Sales", 24, 600)).toBeCloseTo(2 * measure("Sales", 12, 600));
    expect(measure("国国", 10, 400)).toBe(20);
  });

  it("are cut or broken where they do not fit", () => {
    expect(shorten("Sales", 100, style)).toBe("Sales");
    expect(shorten("A very long name indeed", 80, style)).toMatch(/^A very lo.*…$/);
    expect(wrap("one two three four five six", 60, 2, style)).toEqual([
      "one two",
      expect.stringMatching(/^three.*…$/),
    ]);
    expect(wrap("", 60, 2, style)).toEqual([""]);
  });

  it("have no characters that a picture cannot have", () => {
    expect(oneLine("a\nb\u0000c\u202ed\ud800")).toBe("a b cd\ufffd");
    expect(oneLine("x".repeat(1_000))).toHaveLength(300);
  });
});

describe("bars", () => {
  it("begin at zero, are named, and have their values where there is room", () => {
    const { texts } = read(
      bars([3, 1], { yAxisLabel: "Sales ($)", xAxisLabel: "Region", formats: { y: "money:USD" } }),
    );
    expect(texts).toEqual(
      expect.arrayContaining(["Sales", "Sales ($)", "Region", "c0", "c1", "$0", "$3", "$1"]),
    );
    expect(optionOf(bars([103, 101])).yAxis.scale).toBe(false);
  });

  it("[agent.chart.draw.bar] lie on their side with their names in full, as long as these fit", () => {
    const { xAxis, yAxis, series } = optionOf(bars([3, 1, -2], { layout: "horizontal" }));
    expect(yAxis).toMatchObject({ type: "category", inverse: true, data: ["c0", "c1", "c2"] });
    expect(xAxis.min).toBeLessThan(-2);
    expect(series[0].data[2].label.position).toBe("left");
    const long = "a name that goes on and on and on and on and on";
    expect(optionOf(bars([1], { layout: "horizontal", categories: [long] })).yAxis.data[0]).toMatch(
      /^a name.*…$/,
    );
  });

  it("[agent.chart.draw.bar] of which there are too many, and series, say how many are shown", () => {
    const { texts } = read(bars(Array.from({ length: 60 }, (_, i) => i)));
    expect(texts).toContain("50 of 60 shown");
    const series = Array.from({ length: 14 }, (_, i) => ({ label: `s${i}`, data: [1, 2] }));
    const many = optionOf(bars([1, 2], { series }));
    expect(many.series).toHaveLength(12);
    expect(many.series[8].itemStyle.opacity).toBeLessThan(1);
    expect(read(bars([1, 2], { series })).texts).toEqual(
      expect.arrayContaining(["12 of 14 series shown", "s0", "s11"]),
    );
  });

  it("of all others stand back", () => {
    const { series } = optionOf(bars([3, 2], { categories: ["a", "Other"] }));
    expect(series[0].data[1].itemStyle.color).not.toBe(series[0].data[0].itemStyle.color);
  });
});

describe("lines", () => {
  const line = (data: (number | null)[]) => bars(data, { type: "line" });

  it("[agent.chart.draw.line] have marks, keep gaps, and show a point that stands alone", () => {
    const { series } = optionOf(line([1, null, Number.NaN, 4, Number.POSITIVE_INFINITY, 1e301]));
    expect(series[0]).toMatchObject({
      data: [1, null, null, 4, null, null],
      connectNulls: false,
      showSymbol: true,
    });
  });

  it("need not begin at zero where all values are high, unless it is one value", () => {
    expect(optionOf(line([101, 103])).yAxis.scale).toBe(true);
    expect(optionOf(line([1, 103])).yAxis.scale).toBe(false);
    expect(optionOf(line([103])).yAxis.scale).toBe(false);
  });

  it("of very many points have neither marks nor colliding names", () => {
    const chart = line(Array.from({ length: 500 }, (_, i) => i));
    expect(optionOf(chart).series[0].showSymbol).toBe(false);
    expect(read(chart).texts.filter((text) => /^c\d+$/.test(text)).length).toBeLessThan(25);
  });
});

describe("pies", () => {
  const pie = (values: (number | null)[], type: "pie" | "donut" = "pie"): Chart => ({
    type,
    title: "Shares",
    slices: values.map((value, i) => ({ label: `p${i}`, value })),
  });

  it("[agent.chart.draw.pie] have their largest slice first, shares beside names, and the smallest together", () => {
    const { data } = optionOf(pie([1, 2, 3, 4, 5, 6, 7, 8, null, 0])).series[0];
    expect(data.map(({ name }: { name: string }) => name)).toEqual([
      "p7 22.2%",
      "p6 19.4%",
      "p5 16.7%",
      "p4 13.9%",
      "p3 11.1%",
      "p2 8.3%",
      "Other 8.3%",
    ]);
  });

  it("with something below zero are bars", () => {
    expect(optionOf(pie([3, -1])).series[0].type).toBe("bar");
  });

  it("have a legend where there is no room beside them, and a total in the middle of a donut", () => {
    expect(read(pie([3, 1]), { ...LOOK, width: 300 }).texts).toEqual(["Shares", "p0 75.0%", "p1 25.0%"]);
    expect(read(pie([3, 1], "donut")).texts).toEqual(expect.arrayContaining(["4", "Total"]));
  });
});

describe("in a small place", () => {
  const slices = ["Online shop", "Dealers", "Own stores"].map((label, i) => ({
    label,
    value: 7_500_000 / (i + 1),
  }));
  const small: Chart[] = (["donut", "gauge", "pie"] as const).map((type) => ({
    type,
    yAxisLabel: "Sum",
    slices,
    target: 9_000_000,
    formats: { y: "money:EUR" },
  }));
  const sizes = [239, 289, 390, 590].flatMap((width) =>
    [80, 108, 188, 268].map((height) => [width, height] as const),
  );

  it.each(sizes)(
    "%d × %d: rings are as large as they can be, and their numbers lie in them",
    (width, height) => {
      for (const chart of small) {
        const { option } = drawingOf(chart, { ...LOOK, width, height }, measure) as ChartDrawing;
        const { center, radius, type } = (option as Option).series[0];
        const [hole, outer] = type === "gauge" ? [radius * 0.8, radius] : radius;
        expect(outer).toBeGreaterThan(Math.min(width, height) * (type === "gauge" ? 0.35 : 0.2));
        expect(center[0] - outer).toBeGreaterThanOrEqual(0);
        expect(center[1] + (type === "gauge" ? 0 : outer)).toBeLessThanOrEqual(height);
        const numbers = (option as Option).graphic.filter(({ style }: Option) => style.fontWeight === 600);
        for (const { style } of numbers)
          expect(measure(style.text, style.fontSize, 600)).toBeLessThanOrEqual(2 * hole);
      }
    },
  );

  it("a legend that is too long beside its pie says how many more there are", () => {
    const many = Array.from({ length: 7 }, (_, i) => ({ label: `p${i}`, value: 7 - i }));
    const { texts } = read({ type: "pie", slices: many }, { ...LOOK, width: 289, height: 108 });
    expect(texts).toEqual(["p0 25.0%", "p1 21.4%", "p2 17.9%", "4 more"]);
  });
});

describe("stacked areas", () => {
  const chart: Chart = {
    type: "area",
    title: "Stock",
    categories: ["a", "b", "c", "d", "e"],
    series: [
      { label: "low", data: [2, 2, null, 2, null] },
      { label: "high", data: [3, 3, 3, 3, null] },
    ],
  };

  it("have no holes where a value is missing: it adds nothing, and is told as missing", () => {
    const [low, high] = optionOf(chart).series;
    expect([low.data, high.data]).toEqual([
      [2, 2, 0, 2, null],
      [3, 3, 3, 3, null],
    ]);
    const { hover } = drawingOf(chart, LOOK, measure) as ChartDrawing;
    expect(hover).toMatchObject({ series: [{ values: ["2", "2", "–", "2", "–"] }, {}] });
  });

  it("of one series keep their gaps", () => {
    const [only] = chart.series ?? [];
    expect(optionOf({ ...chart, series: [only!] }).series[0].data).toEqual([2, 2, null, 2, null]);
  });
});

describe("points", () => {
  const scatter = (points: NonNullable<Chart["points"]>): Chart => ({
    type: "scatter",
    title: "Points",
    points,
  });

  it("[agent.chart.draw.scatter] have their names while they are few, and a line where they lie along one", () => {
    const along = Array.from({ length: 10 }, (_, i) => ({ x: i, y: 2 * i, label: `p${i}` }));
    expect(optionOf(scatter(along)).series).toHaveLength(2);
    expect(optionOf(scatter(along.slice(0, 5))).series).toHaveLength(1);
    expect(optionOf(scatter(along.map((p, i) => ({ ...p, y: i % 2 })))).series).toHaveLength(1);
    expect(read(scatter(along)).texts).toContain("p9");
    const many = Array.from({ length: 40 }, (_, i) => ({ x: i, y: i % 7, label: `p${i}` }));
    expect(read(scatter(many)).texts).not.toContain("p9");
  });
});

describe("any chart", () => {
  it.each<Chart>([
    { type: "bar", title: "Nothing" },
    { type: "line", title: "Nothing", categories: ["a"], series: [{ label: "s", data: [null] }] },
    { type: "pie", title: "Nothing", slices: [{ label: "a", value: 0 }] },
    { type: "scatter", title: "Nothing", points: [{ x: Number.NaN, y: 1 }] },
  ])("without values says so ($type)", (chart) => {
    expect(drawingOf(chart, LOOK, measure)).toMatchObject({ kind: "empty", title: "Nothing" });
    const why = chart.type === "pie" ? "All values are zero." : "There are no values to draw.";
    expect(read(chart).texts).toEqual(["Nothing", why]);
  });

  it("is plain JSON until it is drawn", () => {
    const drawing = drawingOf(bars([3, 1], { formats: { y: "money:EUR" } }), LOOK, measure);
    expect(JSON.parse(JSON.stringify(drawing))).toEqual(drawing);
    expect(JSON.stringify(drawing)).toContain('"formatter":{"$format":"money:EUR/compact"}');
  });

  it("looks the same each time, in the colours of its theme", () => {
    const chart = bars([3, 1]);
    expect(read(chart).svg).toBe(read(chart).svg);
    expect(read(chart, { ...LOOK, theme: "dark" }).svg).not.toContain("#1a1d24");
  });

  it("takes texts for nothing but texts", () => {
    const hostile = ["</svg><script>x</script>", "{b}: {c}", "{a|x}", "]]>", "&amp;"];
    const chart = bars([5, 4, 3, 2, 1], {
      title: '"><script>t</script>{b}',
      yAxisLabel: "<style>*{}</style>",
      categories: hostile,
      series: [
        { label: "{a}", data: [5, 4, 3, 2, 1] },
        { label: "<b>", data: [1, 2, 3, 4, 5] },
      ],
      layout: "horizontal",
    });
    const { texts, elements } = read(chart);
    expect(texts).toEqual(
      expect.arrayContaining([...hostile, '"><script>t</script>{b}', "<style>*{}</style>", "{a}", "<b>"]),
    );
    expect([...elements].toSorted()).toEqual(["path", "rect", "svg", "text"]);
    const points = hostile.map((label, i) => ({ x: i, y: i * i, label }));
    expect(read({ type: "scatter", title: "t", points }).texts).toEqual(
      expect.arrayContaining(hostile.slice(1)),
    );
    const slices = hostile.map((label, i) => ({ label, value: i + 1 }));
    expect(read({ type: "pie", title: "t", slices }).texts).toContain("{b}: {c} 13.3%");
  });

  it("leaves nothing behind for the next one, whatever it is called", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
    const series = names.map((label) => ({ label, data: [1, 2, 3, 4, 5] }));
    const before = Object.getOwnPropertyNames(Object.prototype);
    for (const title of names) {
      read(bars([1, 2, 3, 4, 5], { title, yAxisLabel: title, xAxisLabel: title, categories: names, series }));
      read({ type: "pie", title, slices: names.map((label) => ({ label, value: 1 })) });
      read({ type: "scatter", title, points: names.map((label, x) => ({ x, y: x, label })) });
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect(Object.keys(Object)).toEqual([]);
    expect(read(bars([1], { categories: ["__proto__"] })).texts).toContain("__proto__ ");
  });

  it("can be drawn, whatever is in it", () => {
    const number = fc.oneof(fc.double(), fc.integer(), fc.constant(null));
    const label = fc.string({ unit: "binary", maxLength: 40 });
    const chart = fc.record({
      type: fc.constantFrom("bar", "line", "area", "pie", "donut", "scatter"),
      title: label,
      xAxisLabel: label,
      yAxisLabel: label,
      categories: fc.array(label, { maxLength: 12 }),
      series: fc.array(fc.record({ label, data: fc.array(number, { maxLength: 12 }) }), { maxLength: 14 }),
      slices: fc.array(fc.record({ label, value: number }), { maxLength: 12 }),
      points: fc.array(fc.record({ x: number, y: number, label }), { maxLength: 14 }),
      layout: fc.constantFrom("vertical", "horizontal"),
      formats: fc.record({ x: fc.constant("percent"), y: fc.constantFrom("money:EUR", "integer", "number") }),
    });
    const width = fc.integer({ min: 160, max: 2_000 });
    fc.assert(
      fc.property(chart, width, (one, wide) => {
        const { elements } = read(one as Chart, { ...LOOK, width: wide });
        expect(
          [...elements].filter((name) => !/^(svg|text|path|rect|polyline|g|defs|clipPath)$/.test(name)),
        ).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("charts of dashboards", () => {
  const series = [
    { label: "North", data: [1, 8, null] },
    { label: "South", data: [3, 2, 5] },
  ];
  const grid = { categories: ["Mon", "Tue", "Wed"], series } as const;
  const slices = [
    { label: "Visit", value: 200 },
    { label: "Cart", value: 50 },
    { label: "Paid", value: 25 },
  ];

  it("a heatmap has a cell for each value, coloured from little to much, in both themes", () => {
    const chart: Chart = {
      type: "heatmap",
      title: "Heat",
      categories: [...grid.categories],
      series: [...series],
    };
    const [{ data }] = optionOf(chart).series;
    expect(data.map(({ value }: Option) => value)).toEqual([
      [0, 0, 1],
      [1, 0, 8],
      [0, 1, 3],
      [1, 1, 2],
      [2, 1, 5],
    ]);
    const colours = data.map(({ itemStyle }: Option) => itemStyle.color);
    expect([colours[0], colours[1]]).toEqual(["#eaf0fc", "#194494"]);
    const dark = drawingOf(chart, { ...LOOK, theme: "dark" }, measure) as ChartDrawing;
    expect(JSON.stringify(dark.option)).not.toContain("#eaf0fc");
    expect(read(chart).texts).toEqual(expect.arrayContaining(["Heat", "1 to 8", "North", "Tue", "8"]));
  });

  it("a funnel tells shares of the first and of the previous stage", () => {
    const drawing = drawingOf({ type: "funnel", title: "Funnel", slices }, LOOK, measure) as ChartDrawing;
    expect(drawing.hover).toMatchObject({
      titles: ["Visit", "Cart", "Paid"],
      lines: ["200", "50 · 25.0% of first · 25.0% of previous", "25 · 12.5% of first · 50.0% of previous"],
    });
  });

  it("a treemap has its groups above their parts, and names only where there is room", () => {
    const chart: Chart = { type: "treemap", categories: [...grid.categories], series: [...series] };
    const [{ data }] = optionOf(chart).series;
    expect(data.map(({ name, children }: Option) => [name, children.length])).toEqual([
      ["North", 2],
      ["South", 3],
    ]);
    const names = ["Trail 500", "Helmet Hanse", "Lock Anker", "City Step", "Cargo Max", "Child Seat"];
    const values = [1_000, 321, 222, 57, 12, 1];
    const { texts } = read(
      { type: "treemap", categories: names, series: [{ label: "", data: values }] },
      { ...LOOK, width: 240, height: 160 },
    );
    expect(texts.slice(0, 5)).toEqual(["Trail 500", "1K", "Helmet", "Hanse", "321"]);
    expect(
      texts.filter((text) => /^\d/.test(text) && !["1K", "321", "222", "57", "12", "1"].includes(text)),
    ).toEqual([]);
    expect(
      texts.filter((text) => /^\D/.test(text) && !names.join(" ").includes(text) && !/^.{3,}…$/.test(text)),
    ).toEqual([]);
  });

  it("a gauge ends at its target, or at the next round number", () => {
    const gauge = (value: number, more: Partial<Chart> = {}) =>
      optionOf({ type: "gauge", slices: [{ label: "x", value }], ...more }).series[0].max;
    expect([gauge(30, { target: 80 }), gauge(30), gauge(90, { target: 80 }), gauge(0)]).toEqual([
      80, 50, 90, 1,
    ]);
    // A share is one of the whole, and what is at a round number has some way to go.
    const share = (value: number) => gauge(value, { formats: { y: "percent" } });
    expect([share(0.2), share(1.2), gauge(50)]).toEqual([1, 2, 100]);
  });

  it("a period that is not whole is drawn apart, and named", () => {
    const line: Chart = { ...bars([3, 4, 1]), type: "line", partial: [2] };
    const [done, open] = optionOf(line).series;
    expect([done.data, open.data, open.lineStyle.type]).toEqual([
      [3, 4, null],
      [null, 4, 1],
      [2, 6],
    ]);
    const [within, ends] = optionOf({ ...bars([3, 4, 1, 2]), type: "line", partial: [0, 3] }).series;
    expect([within.data, ends.data]).toEqual([
      [null, 4, 1, null],
      [3, 4, 1, 2],
    ]);
    const styles = optionOf({ ...bars([3, 4, 1]), partial: [2] }).series[0].data.map(
      ({ itemStyle }: Option) => [itemStyle.borderType, itemStyle.color.length],
    );
    expect(styles).toEqual([
      [undefined, 7],
      [undefined, 7],
      ["dashed", 9],
    ]);
    for (const chart of [line, { ...bars([3, 4, 1]), partial: [2] }]) {
      const last = chart.categories?.[2];
      expect(JSON.stringify(optionOf(chart).graphic)).toContain(`not complete: ${last}`);
      expect(drawingOf(chart, LOOK, measure)).toMatchObject({
        hover: { titles: [expect.anything(), expect.anything(), `${last} (not complete)`] },
      });
      const low = drawingOf(chart, { ...LOOK, height: 140 }, measure);
      expect(JSON.stringify("option" in low && low.option)).not.toContain("not complete");
      expect(JSON.stringify(optionOf({ ...chart, partial: [] }))).not.toContain("not complete");
    }
    const area = optionOf({ ...line, type: "area", series: [...series] }).series;
    expect(area.map(({ stack }: Option) => stack)).toEqual(["all", "partial", "all", "partial"]);
    expect(area[1].areaStyle.opacity).toBeLessThan(area[0].areaStyle.opacity);
  });

  it("what is empty or hostile is drawn all the same", () => {
    for (const type of ["heatmap", "funnel", "treemap", "gauge"] as const) {
      expect(drawingOf({ type }, LOOK, measure).kind).toBe("empty");
      const label = "</svg><script>{b}__proto__";
      const chart: Chart = {
        type,
        title: label,
        slices: [{ label, value: 3 }],
        categories: [label],
        series: [{ label, data: [3] }],
      };
      expect(read(chart).elements.has("script")).toBe(false);
    }
  });
});
