import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHROMIUM, needsChromium } from "../../support/availability.ts";
import { launchChromium, listenForCallback, openPage } from "../../support/browser.ts";
import { appUrlOf, newAccount, OAuthClient, PASSWORD, register } from "../../support/oauth-client.ts";
import { callOf, PATHS } from "../../support/rpc.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

/** The pages as people meet them, in a real browser. */

let server: TestServer;
let chromium: Browser;
let email: string;

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) return;
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  email = await newAccount(server);
  chromium = await launchChromium();
});
afterAll(async () => {
  await chromium?.close();
  await server?.stop();
});
beforeEach((context) => needsChromium(context));

const WAYS = [
  { name: "with JavaScript", options: {} },
  { name: "without JavaScript", options: { javaScriptEnabled: false } },
];

describe.each(WAYS)("a browser $name", ({ options }) => {
  it("[oauth.page.browser] [oauth.page.script] signs in, consents and lands on the client's callback", async () => {
    await using callback = await listenForCallback();
    const client = new OAuthClient(server, { redirectUri: callback.redirectUri });
    const { page, complaints, hosts } = await openPage(chromium, options);
    await page.goto(client.authorizationUrl());
    expect(await page.title()).toBe("Sign in – Kenning");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Connect my-mcp-client?" }).waitFor();
    expect(await page.getByRole("note").textContent()).toContain("Unverified app.");
    expect(await page.locator("main").textContent()).toContain(`act as ${email}`);
    await page.getByRole("checkbox", { name: /data_agent:write/ }).uncheck();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Success! You can close this window." }).waitFor();
    const received = await callback.received;
    expect(received.get("state")).toBe(client.state);
    const { status, body } = await client.exchange(received.get("code") ?? "");
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: "data_agent:read ontologies:read" });
    const whoami = await callOf(server, PATHS.all, "whoami", {}, { token: body.access_token });
    expect(whoami.body.result?.structuredContent?.user).toMatchObject({ email });
    expect(complaints).toEqual([]);
    expect([...hosts].toSorted()).toEqual(
      [new URL(callback.redirectUri).host, new URL(appUrlOf(server)).host].toSorted(),
    );
    await page.context().close();
  });

  it("[oauth.page.script] is told of a wrong password, and can deny", async () => {
    await using callback = await listenForCallback();
    const { page, complaints } = await openPage(chromium, options);
    await page.goto(new OAuthClient(server, { redirectUri: callback.redirectUri }).authorizationUrl());
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill("not my password");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toBe("E-mail and password do not fit.");
    expect(await page.getByLabel("E-mail").inputValue()).toBe(email);
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Success! You can close this window." }).waitFor();
    expect((await callback.received).get("error")).toBe("access_denied");
    // A refused sign-in has the status 401, and Chromium notes that of any page.
    expect(complaints.filter((text) => !text.includes("status of 401"))).toEqual([]);
    await page.context().close();
  });
});

describe("a browser", () => {
  it("[oauth.page.script] can do everything by keyboard", async () => {
    await using callback = await listenForCallback();
    const client = new OAuthClient(server, { redirectUri: callback.redirectUri });
    const { page } = await openPage(chromium, { javaScriptEnabled: true });
    await page.goto(client.authorizationUrl());
    const focused = () => page.evaluate("document.activeElement.name || document.activeElement.textContent");
    await expect.poll(focused, { message: "the e-mail has the focus from the start" }).toBe("email");
    await page.keyboard.type(email);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("password");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    // Through the scopes: take the first one away, and go on to Allow.
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("scope");
    await page.keyboard.press("Space");
    for (let steps = 0; (await focused()) !== "decision" && steps < 10; steps += 1)
      await page.keyboard.press("Tab");
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    expect(outline, "the focus cannot be seen").not.toBe("none");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Success! You can close this window." }).waitFor();
    const { body } = await client.exchange((await callback.received).get("code") ?? "");
    expect(body.scope).toBe("data_agent:write ontologies:read");
    await page.context().close();
  });

  it("[oauth.page.sign-out] signs out, and is asked again by the next client", async () => {
    const { page, complaints } = await openPage(chromium);
    await page.goto(`${appUrlOf(server)}/sign-in`);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(await page.context().cookies()).not.toContainEqual(
      expect.objectContaining({ name: "kenning_session" }),
    );
    await page.goto(new OAuthClient(server).authorizationUrl());
    expect(await page.title()).toBe("Sign in – Kenning");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("[oauth.page.browser] goes through sign-in to a client it has allowed before, on another host", async () => {
    await using callback = await listenForCallback();
    const { body } = await register(server, {
      redirect_uris: [callback.redirectUri],
      token_endpoint_auth_method: "none",
      client_name: "Registered",
    });
    const client = new OAuthClient(server, { clientId: body.client_id, redirectUri: callback.redirectUri });
    const { page, context, complaints } = await openPage(chromium);
    for (const _time of ["the first time", "after the session is over"]) {
      await page.goto(client.authorizationUrl());
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: "Success! You can close this window." }).waitFor();
      await context.clearCookies({ name: "kenning_session" });
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("cannot be made to show our pages inside another", async () => {
    const framing = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<iframe src="${appUrlOf(server)}/sign-in"></iframe>`);
    }).listen(0, "127.0.0.1");
    await once(framing, "listening");
    const { page, complaints } = await openPage(chromium);
    await page.goto(`http://127.0.0.1:${(framing.address() as AddressInfo).port}/`);
    await expect
      .poll(() => complaints.join("\n"))
      .toMatch(/frame-ancestors|X-Frame-Options|ERR_BLOCKED_BY_RESPONSE/);
    await page.context().close();
    framing.close();
  });

  it("shows an error as a page, with its style", async () => {
    const { page } = await openPage(chromium);
    const answer = await page.goto(
      new OAuthClient(server).authorizationUrl({ redirect_uri: "https://evil.example/" }),
    );
    expect(answer?.status()).toBe(400);
    expect(await page.getByRole("heading").textContent()).toBe("That did not work");
    expect(await page.evaluate("document.styleSheets.length")).toBe(2);
    await page.context().close();
  });

  it.each(["light", "dark"] as const)("can read the pages in the %s", async (colorScheme) => {
    const { page } = await openPage(chromium, { colorScheme });
    await page.goto(`${appUrlOf(server)}/sign-in`);
    for (const part of ["h1", "label", ".hint", "button"])
      expect(await page.evaluate(contrastOf(part)), part).toBeGreaterThan(4.5);
    await page.context().close();
  });
});

/** The contrast of an element's text against what lies behind it, as WCAG counts it; a script for the page. */
function contrastOf(selector: string): string {
  return `(() => {
    const pixel = document.createElement("canvas").getContext("2d");
    const light = (colour) => {
      pixel.clearRect(0, 0, 1, 1); pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...pixel.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let behind = document.querySelector(${JSON.stringify(selector)});
    const front = light(getComputedStyle(behind).color);
    while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const back = light(getComputedStyle(behind).backgroundColor);
    return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  })()`;
}
