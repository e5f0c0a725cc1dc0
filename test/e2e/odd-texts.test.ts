import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { read, utils } from "@e965/xlsx";
import { afterAll, expect, it } from "vitest";
import { Documents } from "../../src/domains/bi/export/documents.ts";
import { Drawings, type Subject } from "../../src/platform/drawing/index.ts";
import { needsPoppler } from "../support/availability.ts";
import { startBoards } from "../support/boards.ts";
import { silentLog } from "../support/database.ts";
import { exportOf, makeDataset } from "../support/datasets.ts";
import { oddStrings } from "../support/odd-strings.ts";

/**
 * Texts from the odd corners of Unicode through all that is drawn of data: by the public door, with what it takes in,
 * and handed to the renderers as they are. The server is this process: whatever ended it would end the run.
 */

const isLong = process.env.KENNING_TEST_LONG === "1";
const SEED = isLong ? Date.now() % 1_000_000 : 8_319;
const TEXTS = oddStrings(isLong ? 10_000 : 300, SEED);
/** Rows of one table, and names of one chart. */
const TABLE = 100;
const CHART = 20;

const boards = await startBoards({ env: { RATE_LIMIT_ENABLED: "false" } });
const { server, editor, viewer, call, make } = boards;
const folder = mkdtempSync(join(tmpdir(), "kenning-odd-texts-"));
chmodSync(folder, 0o711);
const drawings = new Drawings({ tempFolder: join(folder, "drawings"), log: silentLog as never });
const documents = new Documents({
  tempFolder: join(folder, "documents"),
  fontFolders: [],
  log: silentLog as never,
});
afterAll(async () => {
  await Promise.all([drawings.close(), documents.close(), boards.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function inGroups<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not stand in a picture.
const NOT_DRAWN = /[\u0000-\u0008\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]/;
const wellFormed = (text: string) => text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, "");

it("a text that turned the direction of all that follows ended the page maker, and is set without it", async (context) => {
  needsPoppler(context);
  const rows = [{ name: "\u202eab cd" }];
  const dataset_id = await makeDataset(server, editor, "Turned", rows);
  const { dashboard_id } = await make({ widgets: [{ name: "T", dataset_id, chart_type: "datagrid2" }] });
  const { url } = await call<{ url: string }>("export_dashboard", { dashboard_id }, viewer);
  const input = Buffer.from(await (await fetch(url)).arrayBuffer());
  const { stdout } = spawnSync("pdftotext", ["-", "-"], { input });
  expect(stdout.toString()).toContain("ab cd");
  expect(stdout.toString()).not.toMatch(NOT_DRAWN);
});

it(`come through PDF, PNG, XLSX, CSV and page by the public door (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  for (const [n, texts] of inGroups(TEXTS, TABLE).entries()) {
    // NUL and half surrogates have no place in a dataset; the renderers get them below.
    const names = texts.map((text) => text.toWellFormed().replaceAll("\0", ""));
    const rows = names.map((name, i) => ({
      name: name.slice(0, 5_000),
      size: (i * 37) % 101,
      day: `2026-01-${10 + (i % 20)}`,
    }));
    const dataset_id = await makeDataset(server, editor, `Odd ${n}`, rows);
    const charts = ["column", "bar", "pie", "treemap", "funnel"].map((chart_type) => ({
      name: `${chart_type} of`,
      dataset_id,
      chart_type,
      x_axis: "name",
      y_axis: ["size"],
    }));
    const { dashboard_id } = await make({
      widgets: [
        { name: "Table", dataset_id, chart_type: "datagrid2" },
        ...charts,
        {
          name: "area of",
          dataset_id,
          chart_type: "area",
          x_axis: "day",
          y_axis: ["size"],
          group_by: "name",
        },
      ],
    });
    for (const format of ["pdf", "png", "xlsx"])
      expect(await call("export_dashboard", { dashboard_id, format }, viewer)).toMatchObject({
        bytes: expect.any(Number),
      });
    const { url } = await call<{ url: string }>("get_embed_url", { dashboard_id });
    const { pathname, hash } = new URL(url);
    const answer = await server.request(`${pathname}/view`, {
      method: "POST",
      headers: { "x-embed-secret": hash.slice(1) },
    });
    const page = await answer.text();
    expect(answer.status).toBe(200);
    const cells = [...page.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => wellFormed(text ?? ""));
    expect(cells.length).toBeGreaterThanOrEqual(rows.length);
    expect(cells.filter((cell) => NOT_DRAWN.test(cell))).toEqual([]);
    const { file } = await exportOf(server, editor, { dataset_id, format: "csv" });
    expect(file.length).toBeGreaterThan(rows.length);
  }
});

it(`come through every renderer as they are (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const FOR = { scope: "1" };
  for (const texts of inGroups(TEXTS, TABLE)) {
    const table: Subject = {
      kind: "table",
      title: texts[0] ?? "",
      columns: [{ label: texts[1] ?? "" }, { label: "n", format: "integer" }],
      rows: texts.map((text, i) => [text, i]),
      rowCount: texts.length,
    };
    const html = await drawings.htmlTable(table, "de-DE", FOR);
    expect(html.match(/<tr>/g)).toHaveLength(texts.length + 1);
    expect(wellFormed(html)).not.toMatch(NOT_DRAWN);
    const place = { col: 1, row: 1, sizeX: 24, sizeY: 8 };
    const cell = { place, title: texts[2] ?? "", notes: texts.slice(3, 6), stretch: 1 };
    const charts = inGroups(texts, CHART).map((labels) => chartOf(labels));
    const pictures = await drawings.each(
      charts.map((subject) => ({ subject, look: { width: 600, height: 300 } })),
      FOR,
    );
    expect(pictures).not.toContain(null);
    for (const picture of pictures) expect(wellFormed(picture?.svg ?? "")).not.toMatch(NOT_DRAWN);
    const report = {
      title: texts[7] ?? "",
      description: texts.slice(0, 10).join(" "),
      filters: texts.slice(10, 13),
      asOf: texts[14] ?? "",
      printed: "now",
      locale: "en-US",
      cells: [
        { ...cell, table },
        ...pictures.map((picture, i) => ({
          ...cell,
          place: { ...place, row: 9 + i * 8 },
          svg: picture?.svg ?? "",
        })),
      ],
    };
    const { pages } = await documents.pdf(report, FOR);
    expect(pages).toBeGreaterThan(1);
    const tiles = [...charts, table].map((subject, i) => ({
      subject,
      look: { width: 600, height: 300 },
      x: 0,
      y: i * 300,
      note: texts[i],
    }));
    const sheet = await drawings.sheet({ title: texts[8] ?? "", theme: "light", width: 600, tiles }, FOR);
    expect(sheet.png.length).toBeGreaterThan(1_000);
    const lines = texts.map((text, i) => [text, i]);
    const book = await documents.workbook(
      [
        { name: texts[9] ?? "", lines },
        { name: texts[9] ?? "", lines: [[]] },
      ],
      FOR,
    );
    const opened = read(book);
    expect(opened.SheetNames).toHaveLength(2);
    expect(utils.sheet_to_json(opened.Sheets[opened.SheetNames[0] as string]!, { header: 1 })).toHaveLength(
      lines.length,
    );
  }
});

let round = 0;
const TYPES = ["bar", "line", "area", "pie", "donut", "heatmap", "funnel", "treemap"] as const;

/** Each time of another type. */
function chartOf(labels: readonly string[]): Subject {
  const type = TYPES[round++ % TYPES.length] as (typeof TYPES)[number];
  const [title = "", xAxisLabel = "", yAxisLabel = ""] = labels;
  const data = labels.map((_, i) => ((i * 13) % 7) + 1);
  const series = labels.slice(0, 3).map((label) => ({ label, data }));
  const slices = labels.map((label, i) => ({ label, value: i + 1 }));
  const isWhole = type === "pie" || type === "donut" || type === "funnel";
  const values = isWhole ? { slices } : { categories: [...labels], series };
  return { kind: "spec", chart: { type, title, xAxisLabel, yAxisLabel, ...values } };
}
