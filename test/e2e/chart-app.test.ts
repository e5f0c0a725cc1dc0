import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { showApp } from "../support/app-host.ts";
import { needsChromium } from "../support/availability.ts";
import { launchChromium, openPage } from "../support/browser.ts";
import { resultOf } from "../support/datasets.ts";
import { MONTH, openCafe, REVENUE, reading, SHOP, scripted } from "../support/questions.ts";
import { PATHS } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Charts inside the client: the page of ours that a client shows beside an answer, in a real browser. */

const APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
const URI = "ui://kenning/chart";
const HOSTILE = '</svg><script>parent.hit = 1</script><img src=x onerror="parent.hit = 1">{b}{c}';

const understand = scripted({
  "revenue by shop": {
    readings: [reading("revenue by shop", { k: "table", by: [SHOP], cols: [REVENUE] })],
  },
  "revenue by month": {
    readings: [reading("revenue by month", { k: "table", by: [MONTH], cols: [REVENUE] })],
  },
  revenue: { readings: [reading("revenue", { k: "table", by: [], cols: [REVENUE] })] },
});

let server: TestServer;
let token: string;
let ontologyId: string;
let browser: Browser | undefined;

beforeAll(async () => {
  server = await startTestServer({ agent: { understand }, env: { RATE_LIMIT_ENABLED: "false" } });
  token = await server.token();
  ({ id: ontologyId } = await openCafe(server, token));
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

type Mode = "legacy" | { pin: string };

async function connect(capabilities: object = APPS, path = PATHS.all, mode: Mode = "legacy") {
  const client = new Client(
    { name: "app-test", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}${path}`), { requestInit: { headers } }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const ask = (client: Client, question: string, more = {}) =>
  client.callTool({ name: "ask_question", arguments: { question, ...more } });

async function htmlOf(client: Client): Promise<string> {
  const { contents } = await client.readResource({ uri: URI });
  return (contents[0] as { text: string }).text;
}

interface PictureMeta {
  width: number;
  height: number;
  light: string;
  dark: string;
  canRedraw: boolean;
  subject: Record<string, unknown>;
}
const pictureIn = (result: { _meta?: Record<string, unknown> | undefined }) =>
  result._meta?.["kenning/picture"] as PictureMeta | undefined;

describe("a client that shows apps", () => {
  it.each<Mode>(["legacy", { pin: "2026-07-28" }])(
    "[all.apps.page] finds the page, the tool of the page, and the picture beside the answer (%j)",
    async (mode) => {
      await using client = await connect(APPS, PATHS.all, mode);
      const { tools } = await client.listTools();
      const metaOf = (name: string) => tools.find((tool) => tool.name === name)?._meta;
      expect(metaOf("ask_question")).toEqual({ ui: { resourceUri: URI } });
      expect(metaOf("draw_picture")).toEqual({ ui: { visibility: ["app"] } });
      const { resources } = await client.listResources();
      expect(resources).toContainEqual(
        expect.objectContaining({ uri: URI, mimeType: "text/html;profile=mcp-app" }),
      );
      const { contents } = await client.readResource({ uri: URI });
      expect(contents[0]).toMatchObject({
        uri: URI,
        mimeType: "text/html;profile=mcp-app",
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
      });
      const picture = pictureIn(await ask(client, "revenue by shop"));
      expect(picture).toMatchObject({ width: 640, canRedraw: true, subject: { kind: "spec" } });
      expect(picture?.light).toContain("Revenue by shop");
    },
  );

  it("[all.apps.page] is given a picture on the agent endpoint, too, whose tools are those of its contract", async () => {
    await using client = await connect(APPS, PATHS.agent);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["ask_question"]);
    const args = { ontologyId, question: "revenue by shop" };
    const result = await client.callTool({ name: "ask_question", arguments: args });
    expect(pictureIn(result)).toMatchObject({ width: 640, canRedraw: false });
    expect(await htmlOf(client)).toContain("<!doctype html>");
  });
});

describe("any other client", () => {
  it("[all.apps.hidden] sees nothing of it", async () => {
    await using client = await connect({});
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("draw_picture");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).not.toContain(URI);
    expect(pictureIn(await ask(client, "revenue by shop"))).toBeUndefined();
  });
});

describe("the page", () => {
  beforeEach(async (context) => {
    needsChromium(context);
    browser ??= await launchChromium();
  });

  /** The answer to a question, shown. */
  async function shown(
    question: string,
    hostContext: McpUiHostContext = { theme: "light" },
    path = PATHS.all,
  ) {
    const client = await connect(APPS, path);
    const watched = await openPage(browser as Browser, { viewport: { width: 660, height: 600 } });
    const close = async () => {
      await watched.context.close();
      await client.close();
    };
    const html = await htmlOf(client);
    const host = await showApp(watched.page, { html, client, context: hostContext });
    const args = path === PATHS.all ? {} : { ontologyId };
    const result = await ask(client, question, args);
    await host.bridge.sendToolInput({ arguments: { question } });
    await host.bridge.sendToolResult(result as never);
    return { ...watched, ...host, result, [Symbol.asyncDispose]: close };
  }

  const fills = (svg: string) => new Set([...svg.matchAll(/fill="(#\w+)"/g)].map((match) => match[1]));

  it("[all.apps.follows] shows the chart as large as it is, follows the theme, and says what is under the pointer", async () => {
    await using page = await shown("revenue by shop");
    const svg = page.app.locator("#picture svg");
    await svg.waitFor();
    expect(await svg.getAttribute("aria-label")).toBe("Revenue by shop");
    const inner = () => svg.evaluate(({ outerHTML }) => outerHTML);
    expect(fills(await inner())).toContain("#1a1d24");
    await expect.poll(page.height).toBeGreaterThan(250);

    await page.bridge.sendHostContextChange({ theme: "dark" });
    await expect.poll(async () => fills(await inner())).toContain("#eceff4");
    expect(page.calls).toEqual([]);

    const box = await svg.boundingBox();
    await page.page.mouse.move((box?.x ?? 0) + 130, (box?.y ?? 0) + 200);
    const tip = page.app.locator("#tip");
    await tip.waitFor();
    expect(await tip.textContent()).toBe("Drip€20.00");
    expect(page.complaints).toEqual([]);
    expect([...page.hosts]).toEqual(["host.test"]);
  });

  it("[all.apps.follows] has the chart drawn again for another width or language", async () => {
    await using page = await shown("revenue by month", { theme: "dark", locale: "de-DE" });
    const svg = page.app.locator("#picture svg");
    await svg.getByText("10 €").waitFor();
    // The visits begin some days into January, and end on 3 March.
    await svg.getByText(/unvollständig: Jan.* 2025, Mar.* 2025/).waitFor();
    await expect(svg.locator("[stroke-dasharray]").count()).resolves.toBeGreaterThan(0);
    await page.page.setViewportSize({ width: 380, height: 600 });
    await expect.poll(() => svg.getAttribute("width")).toBe("380");
    expect(page.calls.at(-1)).toEqual({ name: "draw_picture", width: 380 });
    expect(page.complaints).toEqual([]);
  });

  it("stretches it where nobody draws it again", async () => {
    await using page = await shown("revenue by shop", { theme: "light" }, PATHS.agent);
    const svg = page.app.locator("#picture svg");
    await svg.waitFor();
    await page.page.setViewportSize({ width: 380, height: 600 });
    await expect.poll(async () => Math.round((await svg.boundingBox())?.width ?? 0)).toBe(380);
    expect(await svg.getAttribute("width")).toBe("640");
    expect(page.complaints).toEqual([]);
  });

  it("shows a number as one, and nothing where there is no answer", async () => {
    await using page = await shown("revenue");
    await page.app.locator("#picture").getByText("€50.00").waitFor();
    await page.bridge.sendToolResult({ content: [{ type: "text", text: "I cannot answer this." }] } as never);
    await expect.poll(page.height).toBe(0);
    expect(await page.app.locator("#picture").isVisible()).toBe(false);
    expect(page.complaints).toEqual([]);
  });

  it("[all.apps.sealed] takes names of the data for nothing but names", async () => {
    const shop = { shop_id: 9, shop_name: HOSTILE, city: "Kyiv", seats: 5, region_id: 2 };
    const visit = { visit_id: 9, shop_id: 9, guest_id: 1, visited_on: "2025-02-10", tip: null };
    const item = { item_id: 9, visit_id: 9, product: "Tea", quantity: 1, price: 7 };
    for (const [dataset_name, row] of Object.entries({ shops: shop, visits: visit, items: item }))
      await resultOf(server, token, "push_data", { dataset_name, rows: [row] });
    await using page = await shown("revenue by shop");
    const svg = page.app.locator("#picture svg");
    await svg.getByText("</svg><script>").waitFor();
    const box = await svg.boundingBox();
    await page.page.mouse.move((box?.x ?? 0) + 320, (box?.y ?? 0) + 175);
    await page.app.locator("#tip").waitFor();
    expect(await page.app.locator("img, svg script").count()).toBe(0);
    expect(await page.page.evaluate("globalThis.hit")).toBeUndefined();
    expect(page.complaints).toEqual([]);
  });
});
