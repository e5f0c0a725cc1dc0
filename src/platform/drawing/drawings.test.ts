import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Subject } from "./drawing.ts";
import { Drawings } from "./drawings.ts";
import { LIMITS } from "./limits.ts";

const logged: unknown[] = [];
const folder = mkdtempSync(join(tmpdir(), "kenning-drawings-"));
chmodSync(folder, 0o711);
const log = { error: (...what: unknown[]) => void logged.push(what), warn: () => undefined } as never;
const drawings = new Drawings({ tempFolder: join(folder, "processes"), log });
afterAll(async () => {
  await drawings.close();
  rmSync(folder, { recursive: true, force: true });
});
const FOR = { scope: "1" };

const chart = (label: string): Subject => ({
  kind: "spec",
  chart: { type: "bar", title: "Sales", categories: [label], series: [{ label: "s", data: [1] }] },
});

/** Width and height of a PNG stand at its beginning. */
function sizeOf(png: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(png);
  expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

describe("pictures", () => {
  it("come one for each look, with where the pointer is over what", async () => {
    const looks = [
      { theme: "light", width: 400 },
      { theme: "dark", width: 800, height: 500 },
    ] as const;
    const [light, dark] = await drawings.svg(chart("North"), looks, FOR);
    expect(light).toMatchObject({
      width: 400,
      title: "Sales",
      hover: { titles: ["North"], at: [expect.any(Number)] },
    });
    expect(dark).toMatchObject({ width: 800, height: 500 });
    expect(dark?.svg).toContain('width="800" height="500"');
  });

  it("come as PNG, in which texts are written", async () => {
    const [north, south] = await Promise.all(
      ["North", "South"].map(
        async (name) => (await drawings.png(chart(name), { width: 500, height: 300 }, FOR)).png,
      ),
    );
    expect(sizeOf(north as Uint8Array)).toEqual({ width: 1_000, height: 600 });
    // A font that cannot be read is no error there: nothing is written.
    expect(Buffer.compare(north as Uint8Array, south as Uint8Array)).not.toBe(0);
    const { png: dark } = await drawings.png(chart("North"), { theme: "dark" }, FOR);
    expect(sizeOf(dark).width).toBe(1_280);
  });

  it("have any title, also one that means something to a replacement", async () => {
    const subject: Subject = { kind: "text", title: "Costs in $& $' $` $1", text: "Words" };
    const [picture] = await drawings.svg(subject, [{}], FOR);
    expect(picture?.svg).toContain('aria-label="Costs in $&amp; $&#39; $` $1" width=');
    expect((await drawings.png(subject, {}, FOR)).png.length).toBeGreaterThan(1_000);
  });

  it.each<[Subject, string[]]>([
    [
      { kind: "number", title: "Revenue", label: "Revenue (€)", value: 1e6, format: "money:EUR" },
      ["€1,000,000.00"],
    ],
    [
      {
        kind: "table",
        title: "Shops",
        columns: [{ label: "Shop" }, { label: "Revenue", format: "money:EUR" }],
        rows: Array.from({ length: 20 }, (_, i) => [`shop ${i} <b>`, i === 3 ? null : i]),
        rowCount: 4_810,
      },
      ["shop 11 &lt;b&gt;", "€11.00", "–", "12 of 4,810 rows"],
    ],
    [{ kind: "text", title: "Note", text: "Some words" }, ["Some words"]],
    [{ kind: "empty", title: "Sales", why: "No rows in 2031." }, ["No rows in 2031."]],
    [
      { kind: "error", title: "Sales", what: "Unknown field.", next: "Did you mean x?" },
      ["Unknown field.", "Did you mean x?"],
    ],
  ])("are of $kind as well", async (subject, texts) => {
    const [picture] = await drawings.svg(subject, [{ width: 420 }], FOR);
    for (const text of texts) expect(picture?.svg).toContain(`>${text}</text>`);
    expect(picture?.svg).toContain(`aria-label="${subject.kind === "spec" ? "" : subject.title}"`);
    expect(picture?.hover).toBeNull();
  });
});

/** Names that every object has without having been given them. */
const INBORN = Object.getOwnPropertyNames(Object.prototype);

describe("what is called like something that every object has", () => {
  const data = INBORN.map((_, i) => i + 1);
  const series = INBORN.slice(0, 3).map((label) => ({ label, data }));
  const slices = INBORN.map((label, i) => ({ label, value: i + 1 }));
  const points = INBORN.map((label, i) => ({ x: i, y: i, label }));
  const TYPES = ["bar", "line", "area", "pie", "donut", "scatter", "heatmap", "funnel", "treemap", "gauge"];

  it.each(TYPES)("is drawn as a %s", async (type) => {
    const subject = {
      kind: "spec",
      chart: { type, title: "__proto__", categories: INBORN, series, slices, points },
    };
    // A second one of the same thread finds what the first has left behind.
    for (const width of [900, 320]) {
      const [picture] = await drawings.each(
        [{ subject: subject as Subject, look: { width, height: 600 } }],
        FOR,
      );
      expect(picture?.svg).toContain("__proto__");
      expect(picture?.svg).not.toContain("NaN");
    }
  });
});

it("a sheet says which of its pictures could not be drawn, and has the others", async () => {
  const broken = { kind: "spec", chart: { type: "bar", title: "Broken", series: 5 } } as unknown as Subject;
  const tiles = [broken, chart("North")].map((subject, i) => ({
    subject,
    look: { width: 400, height: 300, locale: "de-DE" },
    x: i * 400,
    y: 0,
    note: "",
  }));
  const { png } = await drawings.sheet({ title: "Both", theme: "light", width: 800, tiles }, FOR);
  expect(sizeOf(png).width).toBeGreaterThan(1_600);
  expect(logged.splice(0)).toHaveLength(1);
});

describe("bounds", () => {
  it("hold for values and sizes", async () => {
    const data = Array.from({ length: LIMITS.drawing.values + 1 }, (_, i) => i);
    const large: Subject = {
      kind: "spec",
      chart: { type: "line", title: "t", series: [{ label: "s", data }] },
    };
    await expect(drawings.svg(large, [{}], FOR)).rejects.toMatchObject({ code: "too_large" });
    await expect(drawings.svg(chart("a"), [{ width: 100_000 }], FOR)).rejects.toThrow();
  });

  it("one workspace never takes the last thread: another's picture does not wait for all of its own", async () => {
    const data = Array.from({ length: 3_000 }, (_, i) => i % 97);
    const large: Subject = {
      kind: "spec",
      chart: { type: "line", title: "t", series: [{ label: "s", data }] },
    };
    await Promise.all(["greedy", "modest"].map((scope) => drawings.svg(chart("a"), [{}], { scope })));
    const drawn: string[] = [];
    const draw = async (subject: Subject, scope: string) => {
      await drawings.svg(subject, [{}, { theme: "dark" }], { scope });
      drawn.push(scope);
    };
    const greedy = Array.from({ length: 12 }, () => draw(large, "greedy"));
    await Promise.all([...greedy, draw(chart("a"), "modest")]);
    expect(drawn.indexOf("modest")).toBeLessThan(drawn.length - 1);
  });

  it("what is cancelled ends, and the next one is drawn", async () => {
    const signal = AbortSignal.abort();
    await expect(drawings.svg(chart("a"), [{}], { ...FOR, signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(await drawings.svg(chart("a"), [{}], FOR)).toHaveLength(1);
  });

  it("a bug is logged, and told without its insides", async () => {
    const broken = { kind: "spec", chart: { type: "bar", series: 5 } } as unknown as Subject;
    await expect(drawings.svg(broken, [{}], FOR)).rejects.toMatchObject({
      code: "internal",
      message: "The picture could not be drawn.",
    });
    expect(logged).toHaveLength(1);
    expect(await drawings.svg(chart("a"), [{}], FOR)).toHaveLength(1);
  });
});
