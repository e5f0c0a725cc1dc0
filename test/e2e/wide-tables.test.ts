import { spawnSync } from "node:child_process";
import { read, utils } from "@e965/xlsx";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domains/bi/limits.ts";
import { needsChromium, needsPoppler } from "../support/availability.ts";
import { startBoards } from "../support/boards.ts";
import { launchChromium, openPage } from "../support/browser.ts";
import { makeDataset } from "../support/datasets.ts";
import { signedInPerson } from "../support/oauth-client.ts";

/** Tables that are wider and longer than any page: shown in part, told so, and the rest within reach. */

const boards = await startBoards({ env: { RATE_LIMIT_ENABLED: "false" } });
const { server, editor, call, make } = boards;
afterAll(() => boards.stop());

const COLUMNS = 901;
const ROWS = 300;
const { pageColumns, pageRows, pageBytes, widgetsPerDashboard } = LIMITS.bi;
let wide: { dashboard_id: number; widgets: { widget_id: number }[] };
let single: { dashboard_id: number; widgets: { widget_id: number }[] };

beforeAll(async () => {
  const names = Array.from({ length: COLUMNS }, (_, i) => `c${i}`);
  const rows = Array.from({ length: ROWS }, (_, r) =>
    Object.fromEntries(names.map((name, i) => [name, `value ${r} of ${i}`])),
  );
  const dataset_id = await makeDataset(server, editor, "Wide", rows);
  const table = (name: string) => ({ name, dataset_id, chart_type: "datagrid2" });
  const all = Array.from({ length: widgetsPerDashboard }, (_, i) => table(`Table ${i}`));
  wide = await make({ name: "Wide", widgets: all });
  single = await make({ name: "One", widgets: [table("Alone")] });
});

async function opened(dashboard_id: number) {
  const { url } = await call<{ url: string }>("get_embed_url", { dashboard_id });
  const { pathname, hash } = new URL(url);
  return async (path: string, body = "") => {
    const headers = { "x-embed-secret": hash.slice(1) };
    const answer = await server.request(`${pathname}${path}`, { method: "POST", headers, body });
    return answer.text();
  };
}

const countOf = (text: string, what: RegExp) => text.match(what)?.length ?? 0;

it("a page of a hundred of them is bounded as a whole, and says what it leaves out", async () => {
  const ask = await opened(wide.dashboard_id);
  const page = await ask("/view");
  expect(Buffer.byteLength(page)).toBeLessThan(pageBytes * 1.1);
  const cells = countOf(page, /<td/g);
  expect(cells).toBeLessThanOrEqual(LIMITS.bi.pageCells);
  expect(countOf(page, /<table>/g)).toBe(widgetsPerDashboard);
  expect(page).toContain(`of ${ROWS} rows · ${pageColumns} of ${COLUMNS} columns`);
});

it("the other columns are fetched into the place of the first, as far as there are any", async () => {
  const ask = await opened(single.dashboard_id);
  const [{ widget_id: id } = { widget_id: 0 }] = single.widgets;
  const page = await ask("/view");
  expect(countOf(page, /<td/g)).toBe(pageRows * pageColumns);
  expect(page).toMatch(
    new RegExp(`href="/embed/[^"]+/w/${id}\\?c\\.${id}=${pageColumns}" data-part>More columns`),
  );
  const next = await ask(`/w/${id}`, `c.${id}=${pageColumns}`);
  expect(next).toContain(`>value 0 of ${pageColumns}<`);
  expect(next).not.toContain(">value 0 of 49<");
  expect(next).toContain(`51 to 100 of ${COLUMNS} columns`);
  const last = await ask(`/w/${id}`, `c.${id}=900`);
  expect(last).toContain(">value 0 of 900<");
  expect(last).toContain("Columns before");
  expect(last).not.toContain("More columns");
  for (const odd of ["901", "-1", "1e9", "x", "99999999"])
    expect(await ask(`/w/${id}`, `c.${id}=${odd}`)).toContain(">value 0 of 0<");
});

it("a person reads on by a click, on the page and in an embed", async (context) => {
  needsChromium(context);
  const { url } = await call<{ url: string }>("get_embed_url", { dashboard_id: single.dashboard_id });
  const browser = await launchChromium();
  try {
    const { page, complaints } = await openPage(browser, {});
    await page.goto(url);
    await page.click("text=More columns");
    await page.waitForSelector("text=value 0 of 50");
    expect(await page.locator("text=value 0 of 49").count()).toBe(0);
    await page.click("text=Columns before");
    await page.waitForSelector("text=value 0 of 49");
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

it("what a page has no room for is shown when it is asked for", async () => {
  const long = Array.from({ length: 200 }, (_, i) => ({ a: `${i} ${"x<".repeat(200)}`, b: "&".repeat(400) }));
  const dataset_id = await makeDataset(server, editor, "Long", long);
  const widgets = Array.from({ length: 60 }, (_, i) => ({
    name: `L${i}`,
    dataset_id,
    chart_type: "datagrid2",
  }));
  const made = await make({ widgets });
  const ask = await opened(made.dashboard_id);
  const page = await ask("/view");
  expect(Buffer.byteLength(page)).toBeLessThan(pageBytes * 1.1);
  const later = countOf(page, />Show this</g);
  expect(later).toBeGreaterThan(0);
  expect(later + countOf(page, /<table>/g)).toBe(widgets.length);
  const id = made.widgets.at(-1)?.widget_id ?? 0;
  expect(page).toContain(`/w/${id}" data-part>Show this`);
  expect(await ask(`/w/${id}`)).toContain(">199 x&lt;");
});

it("a PDF has the columns that can be read, and says so", async (context) => {
  needsPoppler(context);
  const { url } = await call<{ url: string }>("export_dashboard", { dashboard_id: wide.dashboard_id });
  const input = Buffer.from(await (await fetch(url)).arrayBuffer());
  const { stdout } = spawnSync("pdftotext", ["-", "-"], { input, maxBuffer: 1e9 });
  const { pdfColumns } = LIMITS.bi;
  expect(stdout.toString()).toMatch(
    new RegExp(`\\d+ of ${ROWS} rows\\s+·\\s+${pdfColumns} of ${COLUMNS} columns`),
  );
});

it("a workbook has all columns, by the page and by the tool; other formats are refused by name", async () => {
  const { person } = await signedInPerson(server, "viewer");
  const answer = await person.send(`/d/${single.dashboard_id}/export?format=xlsx`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ]);
  const book = read(Buffer.from(await answer.arrayBuffer()));
  expect(book.SheetNames).toEqual(["Alone"]);
  const lines = utils.sheet_to_json<string[]>(book.Sheets.Alone!, { header: 1 });
  expect(lines[0]).toHaveLength(COLUMNS);
  expect(lines[1]?.at(-1)).toBe("value 0 of 900");
  expect(lines.at(-1)?.[0]).toMatch(/^\d+ of 300 rows$/);
  const wrong = await person.send(`/d/${single.dashboard_id}/export?format=docx`);
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(/cannot be exported as .*docx.*pdf, png, xlsx/s);
  const tool = await call<{ url: string }>("export_dashboard", {
    dashboard_id: (await make()).dashboard_id,
    format: "xlsx",
  });
  const sales = read(Buffer.from(await (await fetch(tool.url)).arrayBuffer()));
  expect(sales.SheetNames).toEqual(["Revenue by region", "Units"]);
  expect(utils.sheet_to_json(sales.Sheets["Revenue by region"]!, { header: 1 })).toContainEqual([
    "South",
    250,
  ]);
});

it("a workbook of what has no rows is refused with a reason", async () => {
  const { dashboard_id } = await make({ widgets: [] });
  await expect(call("export_dashboard", { dashboard_id, format: "xlsx" })).rejects.toThrow(
    /nothing in it that a workbook could hold/,
  );
});
