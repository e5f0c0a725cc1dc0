import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { appUrlOf, PASSWORD } from "./oauth-client.ts";
import type { TestServer } from "./server.ts";

/** The console as it is served, for tests that look at it in a browser. */
export const BUILT_CONSOLE = resolve(import.meta.dirname, "../../web/dist");
/** Far above what anything takes, on a machine that does five other things. */
const PATIENCE_MS = 60_000;

export interface Newcomer {
  slug: string;
  email: string;
}

/** A workspace and an admin of its own for each try, so that none meets what another has left behind. */
export async function newcomer(server: TestServer, name = "First Steps"): Promise<Newcomer> {
  const slug = `first-${randomBytes(5).toString("hex")}`;
  const email = `${slug}@example.com`;
  await server.app.identity.workspaces.create({ slug, name });
  await server.app.identity.users.create({
    ...{ email, name: "Nina New", workspace: slug, role: "admin" },
    password: PASSWORD,
  });
  return { slug, email };
}

export interface ConsolePage {
  page: Page;
  /** Errors of its scripts and of the browser's console. Requests that were left are no complaint. */
  complaints: string[];
}

export async function openConsole(
  chromium: Browser,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await chromium.newContext({
    locale: "en",
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  return { page, complaints };
}

export async function signInTo(server: TestServer, page: Page, email: string): Promise<void> {
  await page.goto(`${appUrlOf(server)}/sign-in?return_to=%2F`);
  await page.getByLabel(/^E-mail|^E-Mail/).fill(email);
  await page.getByLabel(/^Password|^Passwort/).fill(PASSWORD);
  await page.locator("form button[type=submit]").first().click();
  await page.waitForURL("**/w/*/home");
}

/** What axe finds on a page that keeps somebody out of it. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] })",
  )) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${new URL(page.url()).pathname}: ${id} ${nodes[0]?.html.slice(0, 200)}`);
}
