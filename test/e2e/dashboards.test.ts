import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MS } from "../../src/kernel/time.ts";
import { needsChromium, needsPoppler } from "../support/availability.ts";
import { startBoards } from "../support/boards.ts";
import { launchChromium, openPage } from "../support/browser.ts";
import { makeSheets, SHEETS, structureOf } from "../support/contact-sheet.ts";
import { makeDataset } from "../support/datasets.ts";
import { TestClock } from "../support/identity.ts";

/** Dashboards on their page and as embeds: in a real browser, and by plain requests where rights are concerned. */

const clock = new TestClock();
const boards = await startBoards({ clock, env: { RATE_LIMIT_ENABLED: "false" } });
const { server, admin, editor, datasetId, call, make } = boards;
let browser: Browser | undefined;
afterAll(async () => {
  await browser?.close();
  await boards.stop();
});

const HOSTILE = '</svg><script>window.hit = 1</script><img src=x onerror="window.hit=1">{b}';
/** Screenshots for people to look at, where somebody wants them. */
const SHOTS = process.env.KENNING_TEST_SHOTS;

const CHARTS =
  "column line bar pie donut area scatter heatmap funnel treemap gauge singletext datagrid2 recommendation";

/** Twenty widgets: every chart type, some twice, one that is broken and one that is empty. */
async function bigDashboard(): Promise<{ dashboard_id: number; widgets: { widget_id: number }[] }> {
  const rows = Array.from({ length: 400 }, (_, i) => ({
    day: new Date(Date.UTC(2025, 0, 1 + i)).toISOString().slice(0, 10),
    region: ["North", "South", "East", "West"][i % 4],
    product: i % 29 === 0 ? HOSTILE : `Product ${i % 27}`,
    units: (i * 7) % 41,
    revenue: Math.round(((i * 137) % 997) * 100) / 100,
  }));
  const id = await makeDataset(server, editor, `Shop ${Math.random()}`, rows);
  const types = [...CHARTS.split(" "), "column", "line", "bar", "singletext"];
  const widgets = types.map((chart_type, i) => ({
    name: `${chart_type} ${i}`,
    dataset_id: id,
    chart_type,
    ...(!["gauge", "datagrid2"].includes(chart_type) && {
      x_axis:
        chart_type === "scatter"
          ? "units"
          : ["line", "area", "singletext"].includes(chart_type)
            ? "day"
            : "product",
    }),
    ...(chart_type !== "datagrid2" && { y_axis: ["revenue"] }),
    ...(["heatmap", "treemap", "area"].includes(chart_type) && { group_by: "region" }),
  }));
  const empty = {
    name: "Empty",
    dataset_id: id,
    x_axis: "region",
    options: { filters: [{ field: "region", value: "Nowhere" }] },
  };
  const broken = {
    name: "Broken",
    dataset_id: id,
    x_axis: "region",
    options: { c9ql: "select region where units > $c9_missing$" },
  };
  return make({
    name: "Twenty widgets",
    description: "All of it",
    widgets: [...widgets, empty, broken],
    filters: [
      { field: "region", operator: "=", label: "Region" },
      { field: "day", operator: "between", label: "Period" },
      { field: "product", operator: "in" },
    ],
  });
}
const big = await bigDashboard();

async function signIn(page: Page, role = "viewer"): Promise<void> {
  const email = `person-${Math.random()}@example.com`;
  await server.app.identity.users.create({
    email,
    workspace: "acme",
    role: role as "viewer",
    password: "correct horse battery",
  });
  await page.goto(`${server.url}/sign-in?return_to=/d/${big.dashboard_id}`);
  await page.fill('input[name="email"]', email);
  await page.fill('input[name="password"]', "correct horse battery");
  await Promise.all([page.waitForURL(/\/d\//), page.click('button[type="submit"]')]);
}

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

/** What axe finds that keeps somebody out. */
async function barriers(frame: Page | Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const found = (await frame.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  const serious = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return serious.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 160))
        .join(" | ")}`,
  );
}

describe("the page", () => {
  it("shows twenty widgets, on a desktop and on a phone, light and dark", async (context) => {
    needsChromium(context);
    browser ??= await launchChromium();
    const looks = [
      { name: "desktop", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
      { name: "desktop-dark", viewport: { width: 1280, height: 900 }, colorScheme: "dark", locale: "de-DE" },
      { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true },
    ] as const;
    for (const { name, ...look } of looks) {
      const { page, complaints, hosts, context: opened } = await openPage(browser, look);
      await signIn(page);
      await page.waitForLoadState("networkidle");
      expect(await page.locator(".widget").count()).toBe(20);
      expect(await page.locator(".chart svg").count()).toBeGreaterThanOrEqual(15);
      const nothing =
        "locale" in look
          ? "Die Filter auf region lassen keine Zeilen übrig."
          : "No rows are left by the filters on region.";
      await page.getByText(nothing).waitFor();
      await page.getByText('the parameter "missing" has no value').waitFor();
      const widths = await page
        .locator(".chart")
        .evaluateAll((all) => all.map((each) => [each.clientWidth, Number(each.getAttribute("data-width"))]));
      for (const [own, drawn] of widths as [number, number][])
        expect(Math.abs(own / drawn - 1)).toBeLessThan(0.13);
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(wide).toBeLessThanOrEqual(0);
      await shot(page, name);
      expect(await barriers(page)).toEqual([]);
      expect(await page.evaluate("window.hit")).toBeUndefined();
      expect(complaints).toEqual([]);
      expect([...hosts]).toEqual([new URL(server.url).host]);
      await opened.close();
    }
  });

  it("tells values under the pointer and by keys, and filters", async (context) => {
    needsChromium(context);
    browser ??= await launchChromium();
    const {
      page,
      complaints,
      context: opened,
    } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
    await signIn(page);
    const chart = page.locator(".chart").first();
    await chart.hover();
    await page.locator("#tip").waitFor({ state: "visible" });
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    const first = await page.locator("#tip").textContent();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#tip").textContent()).not.toBe(first);
    await Promise.all([page.waitForURL(/f\.region=North/), page.selectOption("select", "North")]);
    expect(await page.locator(".widget").count()).toBe(20);
    const rows = await page.locator(".rows:not(.data .rows) tbody tr td:nth-child(2)").allTextContents();
    expect(new Set(rows)).toEqual(new Set(["North"]));
    const choice = page.locator(".choice summary");
    expect(await choice.textContent()).toBe("Product All");
    await choice.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("product 1");
    await page.getByLabel("Product 12").check();
    expect(await page.getByLabel("Product 2", { exact: true }).isVisible()).toBe(false);
    expect(await barriers(page)).toEqual([]);
    await Promise.all([page.waitForURL(/f\.product=Product\+12/), page.keyboard.press("Escape")]);
    expect(await page.locator(".choice summary").textContent()).toBe("Product Product 12");
    expect(complaints).toEqual([]);
    await opened.close();
  });

  it("is for people who are signed in and may see it", async () => {
    const stranger = await server.request(`/d/${big.dashboard_id}`, { redirect: "manual" });
    expect(stranger.headers.get("location")).toContain("/sign-in?return_to=");
    for (const path of [`/d/${big.dashboard_id}/w/1`, `/d/${big.dashboard_id}/export`])
      expect((await server.request(path)).status).toBe(401);
    expect((await server.request("/d/x/w/1")).status).toBe(401);
  });
});

interface Embedded {
  url: string;
  embed_id: number;
}

const embed = (args: object, token?: string) => call<Embedded>("get_embed_url", args, token);
async function ask(url: string, path = "/view", body = "width=1200") {
  const { pathname, hash } = new URL(url);
  const headers = { "x-embed-secret": hash.slice(1) };
  const response = await server.request(`${pathname}${path}`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

describe("an embed", () => {
  it("is shown by a page of another origin, filters included", async (context) => {
    needsChromium(context);
    browser ??= await launchChromium();
    const { url } = await embed({ dashboard_id: big.dashboard_id });
    const host = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(
        `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><body style="margin:0"><iframe src="${url}" title="Sales" style="border:0;width:100%;height:880px"></iframe>`,
      );
    });
    await new Promise<void>((listening) => host.listen(0, "127.0.0.1", listening));
    const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    for (const [name, viewport] of [
      ["embed", { width: 1280, height: 900 }],
      ["embed-phone", { width: 390, height: 844 }],
    ] as const) {
      const { page, complaints, context: opened } = await openPage(browser, { viewport });
      await page.goto(origin);
      const frame = page.frames()[1] as Frame;
      await frame.locator(".widget").nth(19).waitFor();
      await page.waitForLoadState("networkidle");
      await frame.selectOption("select", "South");
      await frame
        .locator("select")
        .filter({ has: frame.locator("option[selected][value=South]") })
        .waitFor();
      await shot(page, name);
      expect(await barriers(frame)).toEqual([]);
      expect(await frame.evaluate("document.cookie")).toBe("");
      expect(complaints).toEqual([]);
      await opened.close();
    }
    host.close();
  });

  it("shows nothing once it is expired or revoked, or its maker may no longer", async () => {
    const expiring = await embed({ dashboard_id: big.dashboard_id, expires_in_days: 1 });
    expect((await ask(expiring.url)).status).toBe(200);
    clock.advance(2 * MS.day);
    expect((await ask(expiring.url)).status).toBe(404);
    const email = "leaver@example.com";
    await server.app.identity.users.create({
      email,
      workspace: "acme",
      role: "contributor",
      password: "correct horse battery",
    });
    const token = await server.token({ email });
    const left = await embed({ dashboard_id: big.dashboard_id }, token);
    expect((await ask(left.url)).status).toBe(200);
    await server.app.identity.users.disable(email);
    expect((await ask(left.url)).status).toBe(404);
  });

  it("reads no widget but its own, with a secret of its own", async () => {
    const other = await make({ name: "Other" });
    const [first, second] = [
      await embed({ dashboard_id: other.dashboard_id }),
      await embed({ dashboard_id: big.dashboard_id }),
    ];
    expect((await ask(first.url, `/w/${other.widgets[0]?.widget_id}`)).status).toBe(200);
    expect((await ask(first.url, `/w/${big.widgets[0]?.widget_id}`)).status).toBe(404);
    const mixed = `${first.url.split("#")[0]}#${second.url.split("#")[1]}`;
    expect((await ask(mixed)).status).toBe(404);
    expect((await ask(first.url.split("#")[0] ?? "")).status).toBe(404);
  });

  it("takes whatever is chosen for a value and nothing else, under whatever name", async () => {
    const filters = [{ field: "region" }, { field: "units", operator: ">=" }];
    const { dashboard_id } = await make({ name: "Chosen", filters });
    const { url } = await embed({ dashboard_id });
    const view = (body: string) => ask(url, "/view", body);
    const all = (await view("")).text;
    for (const name of ["__proto__", "constructor", "toString", "price"])
      expect(await view(`f.${name}=x&f.${name}=y`)).toEqual({ status: 200, text: all });
    for (const value of ["' OR 1=1 --", "North') OR ('1'='1", "`price`", HOSTILE]) {
      const { status, text } = await view(`f.region=${encodeURIComponent(value)}`);
      expect(status).toBe(200);
      expect(text).toContain("No rows are left by the filters of the dashboard.");
      expect(text).not.toContain("<script>");
    }
    expect((await view("f.units=1;drop")).text).toContain("The filter on units takes a number.");
  });

  it("keeps to the policies of its maker and of its viewer: attributes are no filters that a chart may ignore", async () => {
    const made = await make({
      name: "Guarded",
      widgets: [{ name: "Rows", dataset_id: datasetId, chart_type: "datagrid2" }],
    });
    const policies = [
      {
        name: "own region",
        roles: ["viewer"],
        rows: [{ field: "region", operator: "=", value: { attribute: "region" } }],
        hide: ["price"],
      },
    ];
    await call("set_dataset_policies", { dataset_id: datasetId, policies }, admin);
    const north = await embed({ dashboard_id: made.dashboard_id, attributes: { region: "North" } }, admin);
    const seen = await ask(north.url);
    expect(seen.text).toContain("North");
    expect(seen.text).not.toContain("South");
    expect(seen.text).not.toContain("price");
    // What a viewer asks for beside does not widen it.
    expect((await ask(north.url, "/view", "f.region=South&attributes.region=South")).text).not.toContain(
      "South",
    );
    const none = await ask((await embed({ dashboard_id: made.dashboard_id }, admin)).url);
    expect(none.text).not.toContain("North");
    expect(
      (
        await ask(
          (
            await embed({ dashboard_id: made.dashboard_id, attributes: { region: "'; --" } }, admin)
          ).url,
        )
      ).status,
    ).toBe(200);
    const shown = await call<{ url: string }>(
      "export_dashboard",
      { dashboard_id: made.dashboard_id },
      boards.viewer,
    );
    expect((await fetch(shown.url)).status).toBe(200);
    expect(await call("get_data", { widget_id: made.widgets[0]?.widget_id }, boards.viewer)).toMatchObject({
      totalRows: 0,
    });
    await call("set_dataset_policies", { dataset_id: datasetId, policies: [] }, admin);
  });

  it("tells nobody the names of columns that are hidden from them, nor what they are compared with", async () => {
    const made = await make({
      name: "Hushed",
      filters: [{ field: "price", operator: ">=", value: 777 }],
      widgets: [
        { name: "Direct", dataset_id: datasetId, x_axis: "region", y_axis: ["price"] },
        { name: "Query", dataset_id: datasetId, x_axis: "region", c9ql: "select * where price < 778" },
        {
          name: "Filtered",
          dataset_id: datasetId,
          x_axis: "region",
          filters: [{ field: "price", operator: "<", value: 779 }],
        },
      ],
    });
    const policies = [{ name: "no prices", roles: ["viewer"], hide: ["price"] }];
    await call("set_dataset_policies", { dataset_id: datasetId, policies }, admin);
    const told = [
      (await ask((await embed({ dashboard_id: made.dashboard_id }, admin)).url)).text,
      JSON.stringify(
        await call("get_details", { asset_type: "dashboard", asset_id: made.dashboard_id }, boards.viewer),
      ),
      ...(await Promise.all(
        made.widgets.map(async ({ widget_id }) => {
          const asset = { asset_type: "widget", asset_id: widget_id };
          const details = JSON.stringify(await call("get_details", asset, boards.viewer));
          const rows = await call("get_data", { widget_id }, boards.viewer).catch((error) => String(error));
          return `${details} ${JSON.stringify(rows)}`;
        }),
      )),
      JSON.stringify(await call("search_assets", { query: "price" }, boards.viewer)),
    ];
    // The address of this server is a number, too.
    for (const text of told) expect(text.replaceAll(server.url, "")).not.toMatch(/price|77[789]/i);
    const asset = { asset_type: "widget", asset_id: made.widgets[0]?.widget_id };
    expect(await call("get_details", asset, admin)).toMatchObject({ details: { y_axis: ["price"] } });
    await call("set_dataset_policies", { dataset_id: datasetId, policies: [] }, admin);
  });

  it("is opened by a ticket for some minutes, which a host makes with the secret", async () => {
    const made = await make({
      name: "Ticketed",
      widgets: [{ name: "Rows", dataset_id: datasetId, chart_type: "datagrid2" }],
    });
    const rows = [{ field: "region", operator: "=", value: { attribute: "region" } }];
    const policies = [{ name: "own region", roles: ["viewer"], rows }];
    await call("set_dataset_policies", { dataset_id: datasetId, policies }, admin);
    const { url } = await embed({ dashboard_id: made.dashboard_id }, admin);
    const ticketOf = async (json: object, secret = new URL(url).hash.slice(1)) => {
      const headers = { "x-embed-secret": secret };
      const path = `${new URL(url).pathname}/ticket`;
      const response = await server.request(path, { method: "POST", headers, json });
      return { status: response.status, ...((await response.json()) as { ticket: string }) };
    };
    const { ticket } = await ticketOf({ attributes: { region: "North" }, minutes: 5 });
    const withTicket = (key: string) => ask(`${url.split("#")[0]}#${key}`);
    const seen = await withTicket(ticket);
    expect(seen.text).toContain("North");
    expect(seen.text).not.toContain("South");
    expect((await ticketOf({ minutes: 11 })).status).toBe(400);
    expect((await ticketOf({}, "wrong")).status).toBe(404);
    // A ticket makes no further tickets, and opens no other embed.
    expect((await ticketOf({}, ticket)).status).toBe(404);
    const other = await embed({ dashboard_id: big.dashboard_id }, admin);
    expect((await ask(`${other.url.split("#")[0]}#${ticket}`)).status).toBe(404);
    expect((await withTicket(`${ticket}x`)).status).toBe(404);
    const fixed = await embed({ dashboard_id: made.dashboard_id, attributes: { region: "South" } }, admin);
    const over = await server.request(`${new URL(fixed.url).pathname}/ticket`, {
      method: "POST",
      headers: { "x-embed-secret": new URL(fixed.url).hash.slice(1) },
      json: { attributes: { region: "North" } },
    });
    const { ticket: widened } = (await over.json()) as { ticket: string };
    expect((await ask(`${fixed.url.split("#")[0]}#${widened}`)).text).not.toContain("North");
    clock.advance(6 * MS.minute);
    expect((await withTicket(ticket)).status).toBe(404);
    await call("set_dataset_policies", { dataset_id: datasetId, policies: [] }, admin);
  });

  it("asks the page around it for another ticket, and keeps its filters", async (context) => {
    needsChromium(context);
    browser ??= await launchChromium();
    const { url } = await embed({ dashboard_id: big.dashboard_id });
    const [address, secret] = url.split("#") as [string, string];
    const ticketOf = async () => {
      const headers = { "x-embed-secret": secret };
      const path = `${new URL(address).pathname}/ticket`;
      return (
        (await (await server.request(path, { method: "POST", headers, json: {} })).json()) as {
          ticket: string;
        }
      ).ticket;
    };
    const host = createServer(async (request, response) => {
      if (request.url === "/ticket") return response.end(await ticketOf());
      response.writeHead(200, { "content-type": "text/html" });
      response.end(
        `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><iframe src="${address}#${await ticketOf()}" title="Sales" style="width:1200px;height:800px"></iframe>
<script>addEventListener("message", async ({ data, source }) => {
  if (data.type === "kenning:ticket-wanted") source.postMessage({ type: "kenning:ticket", ticket: await (await fetch("/ticket")).text() }, "*");
});</script>`,
      );
    });
    await new Promise<void>((listening) => host.listen(0, "127.0.0.1", listening));
    const { page, context: opened } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
    const frame = page.frames()[1] as Frame;
    await frame.selectOption("select", "South");
    const chosen = (name: string) =>
      frame.locator("select").filter({ has: frame.locator(`option[selected][value=${name}]`) });
    await chosen("South").waitFor();
    clock.advance(11 * MS.minute);
    await frame.fill('input[name="f.day"] >> nth=0', "2025-02-01");
    await frame.fill('input[name="f.day"] >> nth=1', "2025-03-01");
    await frame.click("form.filters > button");
    await frame.locator('input[name="f.day"][value="2025-03-01"]').waitFor();
    await chosen("South").waitFor();
    await opened.close();
    host.close();
  });

  it("says what it leaves out, adds up what adds up, and keeps the order that is given", async () => {
    const rows = Array.from({ length: 5_200 }, (_, i) => ({
      x: i,
      y: i % 91,
      year: 1949,
      stage: ["Seen", "Tried", "Bought"][i % 3],
    }));
    const id = await makeDataset(server, editor, "Many", rows);
    const made = await make({
      name: "Left out",
      widgets: [
        { name: "Cloud", dataset_id: id, chart_type: "scatter", x_axis: "x", y_axis: ["y"] },
        { name: "Rows", dataset_id: id, chart_type: "datagrid2", x_axis: "year", y_axis: ["y", "x"] },
        {
          name: "Stages",
          dataset_id: id,
          chart_type: "funnel",
          x_axis: "stage",
          y_axis: ["y"],
          sort: "given",
        },
      ],
    });
    const { text } = await ask((await embed({ dashboard_id: made.dashboard_id })).url);
    expect(text).toContain("A sample: 5,000 of 5,200 points");
    expect(text).toContain("200 of 5,200 rows");
    expect(text).toContain("<td>1949</td>".replace("<td>", '<td class="number">'));
    expect(text).toContain('<tfoot><tr><td class="number">Total</td>');
    const stages = [...text.matchAll(/<td class="short">(Seen|Tried|Bought)<\/td>/g)].map(([, name]) => name);
    expect(stages).toEqual(["Seen", "Tried", "Bought"]);
  });

  it("is in German down to the words in its pictures, and so is its PDF", async (context) => {
    needsPoppler(context);
    const month = clock.now().toISOString().slice(0, 7);
    const rows = Array.from({ length: 60 }, (_, i) => ({
      day: `${i < 30 ? "2024-01" : month}-01`,
      part: i === 59 ? null : `part ${i % 12}`,
      net_sales: i + 1,
    }));
    const id = await makeDataset(server, editor, "Deutsch", rows);
    const common = { dataset_id: id, y_axis: ["net_sales"] };
    const { dashboard_id } = await make({
      name: "Deutsch",
      settings: { locale: "de-DE" },
      widgets: [
        { ...common, name: "Ring", chart_type: "donut", x_axis: "part" },
        { ...common, name: "Monate", chart_type: "column", x_axis: "day", options: { grain: "month" } },
        { ...common, name: "Gruppen", chart_type: "column", x_axis: "day", group_by: "part" },
        { ...common, name: "Zeilen", chart_type: "datagrid2" },
        {
          ...common,
          name: "Leer",
          chart_type: "datagrid2",
          options: { filters: [{ field: "net_sales", operator: ">", value: 99 }] },
        },
        { ...common, name: "Was", chart_type: "recommendation", x_axis: "part" },
      ],
    });
    const { text: page } = await ask((await embed({ dashboard_id })).url);
    const { url } = await call<{ url: string }>("export_dashboard", { dashboard_id });
    const input = Buffer.from(await (await fetch(url)).arrayBuffer());
    const pdf = spawnSync("pdftotext", ["-raw", "-", "-"], { input }).stdout.toString();
    const SAID = [
      "Summe von net sales",
      "Sonstige",
      "unvollständig: ",
      "Datenstand ",
      "Die Filter auf net_sales lassen",
    ];
    for (const said of SAID) {
      expect(pdf).toContain(said);
      if (said !== "Datenstand ") expect(page).toContain(said);
    }
    for (const each of [page.replaceAll(/<[^>]*>/g, " "), pdf])
      expect(each).not.toMatch(/\b(Sum of|Other|Total|not complete|No rows|as of)\b/);
  });
});

/** With KENNING_TEST_SHOTS all of it is written there for people to look at: pages, PDFs and PNGs. */
describe("the contact sheet", () => {
  let made: ReadonlyMap<string, number>;
  beforeAll(async () => {
    made = await makeSheets((name, rows) => makeDataset(server, editor, name, rows), make);
  });

  it.each(SHEETS)("of $name has in each widget what belongs there", async ({ name }) => {
    const dashboard_id = made.get(name) ?? 0;
    const { url } = await embed({ dashboard_id });
    const shown = structureOf((await ask(url)).text);
    const file = `contact-sheet/${name.toLowerCase().replace(" ", "-")}.txt`;
    await expect(`${shown}\n`).toMatchFileSnapshot(file);
    if (SHOTS !== undefined) await shootSheet(name, dashboard_id, url);
  });
});

const LOOKS = [
  { as: "light", viewport: { width: 1280, height: 900 }, colorScheme: "light", locale: "en-US" },
  { as: "dark-german", viewport: { width: 1280, height: 900 }, colorScheme: "dark", locale: "de-DE" },
  {
    as: "phone",
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
    isMobile: true,
    locale: "en-US",
  },
] as const;

async function shootSheet(name: string, id: number, url: string): Promise<void> {
  browser ??= await launchChromium();
  for (const { as, ...look } of LOOKS) {
    const { page, context } = await openPage(browser, look);
    await page.goto(url);
    await page.locator(".widget").last().waitFor();
    await page.waitForLoadState("networkidle");
    await shot(page, `sheet-${name}-page-${as}`);
    await context.close();
  }
  for (const [as, options] of [
    ["light.pdf", { format: "pdf" }],
    ["german.pdf", { format: "pdf", locale: "de-DE" }],
    ["light.png", { format: "png" }],
    ["dark.png", { format: "png", theme: "dark", locale: "de-DE" }],
  ] as const) {
    const file = await call<{ url: string }>("export_dashboard", { dashboard_id: id, ...options });
    const bytes = await (await fetch(file.url)).arrayBuffer();
    writeFileSync(`${SHOTS}/sheet-${name}-${as}`, new Uint8Array(bytes));
  }
}
