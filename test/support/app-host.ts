import type { Client, Transport } from "@modelcontextprotocol/client";
import { AppBridge, type McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { FrameLocator, Page } from "playwright-core";

/**
 * A client that shows apps: the official host (`AppBridge`) in this process, its page in a real browser, and the app
 * in a frame of that page without any rights, under the policy that the extension of MCP asks hosts for.
 */

const ORIGIN = "http://host.test";
/** What hosts set for a page that asks for nothing. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'";

const HOST_PAGE = `<!doctype html><title>Host</title>
<style>body { margin: 0 } iframe { display: block; border: 0; width: 100%; height: 150px }</style>
<body><script>
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.src = "/app";
addEventListener("message", ({ source, data }) => source === frame.contentWindow && toHost(JSON.stringify(data)));
globalThis.toApp = (text) => frame.contentWindow.postMessage(JSON.parse(text), "*");
globalThis.setHeight = (height) => (frame.style.height = height + "px");
document.body.append(frame);
</script>`;

export interface AppHost {
  bridge: AppBridge;
  app: FrameLocator;
  /** The height that the app asked for last. */
  height: () => number | undefined;
  /** Tools that the app called, with the size that it asked for. */
  calls: { name: string; width: number }[];
}

export async function showApp(
  page: Page,
  { html, client, context }: { html: string; client: Client; context: McpUiHostContext },
): Promise<AppHost> {
  const calls: AppHost["calls"] = [];
  let height: number | undefined;
  const bridge = new AppBridge(
    client,
    { name: "host", version: "1.0.0" },
    { serverTools: {} },
    {
      hostContext: context,
    },
  );
  // An app may still be speaking when its test is over and the page is gone.
  const run = async (script: string) => {
    await page.evaluate(script).catch((error: unknown) => {
      if (!page.isClosed()) throw error;
    });
  };
  bridge.addEventListener("sizechange", ({ height: wanted }) => {
    height = wanted;
    void run(`setHeight(${JSON.stringify(wanted ?? 0)})`);
  });
  const initialized = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
  await page.route(`${ORIGIN}/**`, (route) => {
    const isApp = new URL(route.request().url()).pathname === "/app";
    const headers = isApp ? { "content-security-policy": POLICY } : {};
    return route.fulfill({
      contentType: "text/html; charset=utf-8",
      headers,
      body: isApp ? html : HOST_PAGE,
    });
  });
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: (message) => run(`toApp(${JSON.stringify(JSON.stringify(message))})`),
  };
  await page.exposeFunction("toHost", (text: string) => {
    const message = JSON.parse(text);
    if (message.method === "tools/call") calls.push(callOf(message.params));
    transport.onmessage?.(message);
  });
  await bridge.connect(transport);
  await page.goto(`${ORIGIN}/`);
  await initialized;
  return { bridge, app: page.frameLocator("iframe"), height: () => height, calls };
}

function callOf({ name, arguments: args }: { name: string; arguments: { width: number } }) {
  return { name, width: args.width };
}
