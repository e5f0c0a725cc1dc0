import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHROMIUM, needsChromium } from "../support/availability.ts";
import { launchChromium } from "../support/browser.ts";
import { BUILT_CONSOLE, newcomer, openConsole, signInTo } from "../support/console-browser.ts";
import { callTool } from "../support/mcp.ts";
import { appUrlOf, PASSWORD } from "../support/oauth-client.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** A newcomer's first ten minutes in the console, with nothing but the screen. */

const LONGEST_MS = 300_000;

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

const CSV = `day,product,revenue
2026-01-05,Cargo Max,1200
2026-01-06,City Bike,300
2026-02-03,Cargo Max,900
2026-02-09,Trail,450
`;

async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.KENNING_TEST_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `console-${name}.png`) });
}

describe("the console", () => {
  it(
    "takes a newcomer from a file to a dashboard, a connected client and a colleague",
    async () => {
      const { slug, email } = await newcomer(server);
      const app = appUrlOf(server);
      const { page, complaints } = await openConsole(chromium);
      const to = (path: string) => page.goto(`${app}/w/${slug}/${path}`);

      await signInTo(server, page, email);

      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Bring in a file" }).click();
      await (await chooser).setFiles({ name: "sales.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
      await page.getByRole("button", { name: "Bring it in" }).click();
      await page.getByRole("button", { name: "Look at the rows" }).waitFor();

      await to("ask?q=revenue%20by%20product");
      await page.getByRole("button", { name: "Add to a dashboard" }).click();
      await page.getByLabel("Name of the new dashboard").fill("My figures");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.waitForURL(`**/w/${slug}/dashboards/*`);
      await page.getByRole("heading", { name: "My figures" }).waitFor();
      await page.getByRole("img").first().waitFor();
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("button", { name: "Add widget" }).click();
      const editor = page.getByRole("dialog");
      await editor.getByLabel("Data", { exact: true }).selectOption({ label: "sales" });
      await editor.getByLabel("Shown as").selectOption("singletext");
      await editor.getByLabel("Figures").selectOption("revenue");
      await editor.getByRole("img").first().waitFor();
      await shot(page, "widget");
      await editor.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("region", { name: "sales" }).getByRole("img").first().waitFor();
      await shot(page, "dashboard");

      await to("settings/tokens");
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByRole("button", { name: "Make token" }).click();
      const token = (await page.getByRole("dialog").locator("pre").textContent())?.trim() ?? "";
      await page.getByRole("button", { name: "Done" }).click();

      const { result } = await callTool(server, token, "find_widget", { name: "sales" });
      expect(result?.structuredContent, "a new widget has room").toMatchObject({
        widgets: [{ place: { sizeX: 6, sizeY: 4 } }],
      });

      const client = new Client({ name: "first-client", version: "1.0.0" });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${app}/mcp`), { requestInit }));
      await client.callTool({ name: "whoami", arguments: {} });
      await client.close();
      await server.app.identity.audit.flush();
      await to("activity");
      const call = page
        .getByRole("listitem")
        .filter({ hasText: "whoami" })
        .filter({ hasText: "first-client" });
      await call.first().waitFor();
      await shot(page, "activity");

      await to("settings/members");
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByLabel("E-mail").fill(`colleague-${email}`);
      await page.getByRole("button", { name: "Make invitation" }).click();
      const link = (await page.getByRole("dialog").locator("pre").textContent())?.trim() ?? "";
      await shot(page, "members");

      const colleague = await openConsole(chromium);
      await colleague.page.goto(link);
      await colleague.page.getByLabel("Your name").fill("Carl Colleague");
      await colleague.page.getByLabel("Password").fill(PASSWORD);
      await colleague.page.getByRole("button", { name: "Join" }).click();
      await colleague.page.waitForURL(`**/w/${slug}/home`);
      await colleague.page.goto(`${app}/w/${slug}/dashboards`);
      await colleague.page.getByRole("link", { name: /My figures/ }).click();
      await colleague.page.getByRole("region", { name: "sales" }).getByRole("img").first().waitFor();
      expect(await colleague.page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);

      expect([...complaints, ...colleague.complaints]).toEqual([]);
      await page.context().close();
      await colleague.page.context().close();
    },
    LONGEST_MS,
  );
});
