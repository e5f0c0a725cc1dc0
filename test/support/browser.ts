import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { CHROMIUM } from "./availability.ts";

/** A real browser. Everything that it complains about on a page is kept, for a test to find none of it. */

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    timeout: 120_000,
    // As root, as in a container, Chromium has no sandbox of its own.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Errors of the console (a broken content security policy is one), of scripts, and requests that failed. */
  complaints: string[];
  /** The hosts that were asked for anything. */
  hosts: Set<string>;
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // What was under way when the page went on to another one, which depends on how fast either is.
    if (reason !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${reason}`);
  });
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  return { page, context, complaints, hosts };
}

export interface CallbackListener extends AsyncDisposable {
  redirectUri: string;
  /** The query of the first callback. */
  received: Promise<URLSearchParams>;
}

/** A client's own listener on loopback, which the browser is to end up at. */
export async function listenForCallback(): Promise<CallbackListener> {
  const { promise: received, resolve } = Promise.withResolvers<URLSearchParams>();
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/callback") resolve(url.searchParams);
    const isCallback = url.pathname === "/callback";
    response.writeHead(isCallback ? 200 : 204, { "content-type": "text/html" });
    response.end(
      isCallback ? "<!doctype html><title>Client</title><h1>Success! You can close this window.</h1>" : "",
    );
  });
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  const { port } = listener.address() as AddressInfo;
  const close = async () => {
    listener.closeAllConnections();
    await new Promise((closed) => listener.close(closed));
  };
  return { redirectUri: `http://127.0.0.1:${port}/callback`, received, [Symbol.asyncDispose]: close };
}
