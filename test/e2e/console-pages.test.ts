import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHROMIUM, needsChromium } from "../support/availability.ts";
import { launchChromium } from "../support/browser.ts";
import {
  BUILT_CONSOLE,
  barriersOn,
  type Newcomer,
  newcomer,
  openConsole,
  signInTo,
} from "../support/console-browser.ts";
import { resultOf } from "../support/datasets.ts";
import { appUrlOf, PASSWORD } from "../support/oauth-client.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Every page of the console in a real browser: nobody is kept out of it, and nothing breaks while it is used. */

const LONGEST_MS = 600_000;
const SHOTS = process.env.KENNING_TEST_SHOTS;
const isLong = process.env.KENNING_TEST_LONG === "1";

let server: TestServer;
let chromium: Browser;

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) return;
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" }, consoleFolder: BUILT_CONSOLE });
  chromium = await launchChromium();
});
afterAll(async () => {
  await chromium?.close();
  await server?.stop();
});
beforeEach((context) => needsChromium(context));

const ROWS = Array.from({ length: 240 }, (_, i) => ({
  day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
  region: ["North", "South", "East"][i % 3],
  product: ["Cargo Max", "City Bike", "Trail"][i % 3],
  revenue: 100 + ((i * 37) % 400),
}));

interface Filled extends Newcomer {
  /** Paths of pages with something on them, below the workspace. */
  paths: string[];
  datasetId: number;
}

/** A workspace with something on every page. */
async function filled(): Promise<Filled> {
  const who = await newcomer(server, "Full House");
  const token = await server.token({ email: who.email, workspace: who.slug });
  const call = <T = Record<string, unknown>>(tool: string, args: object) =>
    resultOf<T>(server, token, tool, args as Record<string, unknown>);
  const { dataset_id: datasetId } = await call<{ dataset_id: number }>("push_data", {
    dataset_name: "sales",
    rows: ROWS,
  });
  const { name } = await call<{ name: string }>("infer_semantic_model", {
    name: "shop",
    datasets: ["sales"],
  });
  await call("publish_semantic_model", { modelName: name });
  const { dashboard_id: board } = await call<{ dashboard_id: number }>("create_dashboard", {
    name: "Overview",
    filters: [{ field: "region", operator: "in", label: "Region" }],
    widgets: [
      { name: "By region", dataset_id: datasetId, x_axis: "region", y_axis: ["revenue"] },
      { name: "By day", dataset_id: datasetId, chart_type: "line", x_axis: "day", y_axis: ["revenue"] },
      { name: "In all", dataset_id: datasetId, chart_type: "singletext", y_axis: ["revenue"] },
      { name: "About it", chart_type: "text", options: { text: "All figures are **net**." } },
    ],
  });
  await call("create_alert", { dataset_id: datasetId, name: "Low", condition: "revenue < 110" });
  await call("create_report", { dashboard_id: board, name: "Weekly", recipients: "ada@example.com" });
  const { knowledge_base_id: base } = await call<{ knowledge_base_id: number }>("create_knowledge_base", {
    name: "Handbook",
  });
  const text = "# Warranty\n\nThe battery has a warranty of three years.";
  const { document_id: document } = await call<{ document_id: number }>("add_document", {
    ...{ knowledge_base_id: base, file_name: "warranty.md", content: text },
  });
  const { memory_id: memory } = await call<{ memory_id: string }>("store_memory", {
    content: "The office moved to Ulm in May.",
  });
  const paths = [
    ...["home", "ask", "dashboards", `dashboards/${board}`, `dashboards/${board}?edit=1`],
    ...["data", "data?tab=datasources"],
    ...["", "?tab=columns", "?tab=versions", "?tab=policies", "?tab=source"].map(
      (part) => `data/${datasetId}${part}`,
    ),
    "models",
    ...["", "?tab=diagram", "?tab=file", "?tab=query", "?tab=tests", "?tab=versions"].map(
      (part) => `models/${name}${part}`,
    ),
    ...["library", `library/${base}`, `library/doc-${document}`, "memory", `memory/${memory}`],
    ...["alerts", "reports", "deliveries", "channels"].map((part) => `automation/${part}`),
    "activity",
    ...["profile", "connect", "ai", "tokens", "apps", "members", "usage"].map((part) => `settings/${part}`),
  ];
  return { ...who, paths, datasetId };
}

interface Look {
  name: string;
  options: BrowserContextOptions;
}

const LOOKS: readonly Look[] = [
  { name: "light", options: {} },
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "phone", options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
  { name: "german", options: { locale: "de" } },
];

describe("the pages of the console", () => {
  it.each(isLong ? LOOKS : LOOKS.slice(0, 1))(
    "keep nobody out and complain of nothing: $name",
    async ({ name, options }) => {
      const full = await filled();
      const empty = await newcomer(server, "Nothing Yet");
      const found: string[] = [];
      const pictures: string[] = [];
      const places = [full, ...(isLong ? [{ ...empty, paths: emptyPaths(full.paths) }] : [])];
      for (const { slug, email, paths } of places) {
        const { page, complaints } = await openConsole(chromium, options);
        await signInTo(server, page, email);
        for (const path of paths) {
          await page.goto(`${appUrlOf(server)}/w/${slug}/${path}`);
          await page.locator("main h1").first().waitFor();
          await page.waitForLoadState("networkidle");
          found.push(...(await barriersOn(page)));
          if (SHOTS === undefined) continue;
          pictures.push((await page.screenshot({ type: "jpeg", quality: 60 })).toString("base64"));
        }
        found.push(...complaints);
        await page.context().close();
      }
      if (SHOTS !== undefined) await montage(pictures, join(SHOTS, `console-sheet-${name}.jpg`), name);
      expect(found).toEqual([]);
    },
    LONGEST_MS,
  );

  it(
    "let an admin keep rows from a viewer, and see it with their eyes before",
    async () => {
      const { slug, email, datasetId } = await filled();
      const viewer = `viewer-${email}`;
      const account = { email: viewer, name: "Vera View", workspace: slug, password: PASSWORD };
      await server.app.identity.users.create({ ...account, role: "viewer" });
      const admin = await openConsole(chromium);
      await signInTo(server, admin.page, email);
      const { page } = admin;
      await page.goto(`${appUrlOf(server)}/w/${slug}/data/${datasetId}?tab=policies`);
      await page.getByRole("button", { name: "Add a policy" }).click();
      await page.getByLabel("Field").selectOption("region");
      await page.getByLabel("Value", { exact: true }).fill("North");
      await page.getByRole("checkbox", { name: "product" }).check();
      await page.getByLabel("View as").selectOption(viewer);
      await page.getByText("80 of 240 rows").waitFor();
      await page.getByText("without product").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page
        .getByText(/The policies hold/)
        .first()
        .waitFor();

      const other = await openConsole(chromium);
      await signInTo(server, other.page, viewer);
      await other.page.goto(`${appUrlOf(server)}/w/${slug}/data/${datasetId}`);
      await other.page.getByRole("columnheader", { name: "region" }).waitFor();
      expect(await other.page.getByRole("columnheader", { name: "product" }).count()).toBe(0);
      expect(await other.page.getByRole("tab", { name: "Policies" }).count()).toBe(0);
      expect([...admin.complaints, ...other.complaints]).toEqual([]);
      await page.context().close();
      await other.page.context().close();
    },
    LONGEST_MS,
  );

  it(
    "show a thread again after everything was closed, with what an AI client asked in it",
    async () => {
      const { slug, email } = await filled();
      const { page, complaints } = await openConsole(chromium);
      await signInTo(server, page, email);
      await page.goto(`${appUrlOf(server)}/w/${slug}/ask?q=revenue%20by%20region`);
      await page.getByRole("button", { name: "Add to a dashboard" }).waitFor();
      const token = await server.token({ email, workspace: slug });
      const call = <T>(tool: string, args: object) =>
        resultOf<T>(server, token, tool, args as Record<string, unknown>);
      const { threads } = await call<{ threads: { thread_id: string }[] }>("list_threads", {});
      const { turns } = await call<{ turns: { answer_id: string }[] }>("get_thread", {
        thread_id: threads[0]?.thread_id,
      });
      const follow_up_to = turns.at(-1)?.answer_id;
      await call("ask_question", { question: "only North", follow_up_to });
      await page.context().close();

      const again = await openConsole(chromium);
      await signInTo(server, again.page, email);
      await again.page.getByRole("link", { name: /revenue by region/ }).click();
      await again.page.getByRole("heading", { name: "revenue by region", level: 2 }).waitFor();
      await again.page.getByRole("heading", { name: "only North", level: 2 }).waitFor();
      expect([...complaints, ...again.complaints]).toEqual([]);
      await again.page.context().close();
    },
    LONGEST_MS,
  );
});

/** Pages of a workspace in which there is nothing: those of one thing are not there. */
function emptyPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => !/^(dashboards|data|models|library|memory)\//.test(path));
}

const COLUMNS = 6;
const WIDE_PX = 320;

/** All pictures as one. */
async function montage(pictures: readonly string[], path: string, name: string): Promise<void> {
  const context = await chromium.newContext({ viewport: { width: COLUMNS * (WIDE_PX + 6), height: 600 } });
  const page = await context.newPage();
  const images = pictures.map((each) => `<img width=${WIDE_PX} src="data:image/jpeg;base64,${each}">`);
  await page.setContent(
    `<body style="margin:0;background:#777;font:14px sans-serif"><p>${name}</p><div style="display:flex;flex-wrap:wrap;gap:6px;align-items:start">${images.join("")}</div>`,
    { waitUntil: "load" },
  );
  writeFileSync(path, await page.screenshot({ fullPage: true, type: "jpeg", quality: 70 }));
  await context.close();
}
