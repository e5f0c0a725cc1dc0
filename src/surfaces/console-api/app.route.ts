import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Context } from "hono";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";

export interface ConsoleAppParts {
  /** Where the built console lies; undefined where it could not be built. */
  folder: string | undefined;
  browser: BrowserSession;
}

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".woff2": "font/woff2",
};

/** Scripts, styles and fonts of ours alone. Pictures are also made in the page, and dashboards are shown in frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The console: one page for all addresses below `/w/`, and the files it is made of. */
export function mountConsoleApp(app: HttpApp, parts: ConsoleAppParts): void {
  const { folder } = parts;
  if (folder === undefined) {
    app.get("/w/*", (c) => c.redirect("/", 302));
    return;
  }
  for (const path of ["/w", "/w/"]) app.get(path, (c) => c.redirect("/", 302));
  app.get("/w/*", (c) => page(c, folder, parts));
  app.get("/console/assets/:name", (c) => asset(c, folder, c.req.param("name")));
}

/** Whoever is not signed in comes back here afterwards. */
async function page(
  c: Context<HttpEnv>,
  folder: string,
  { browser }: Pick<ConsoleAppParts, "browser">,
): Promise<Response> {
  if ((await browser.of(c)) === null) {
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/sign-in?return_to=${encodeURIComponent(pathname + search)}`, 303);
  }
  return c.html(await readFile(join(folder, "index.html"), "utf8"), 200, {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
  });
}

const NAME = /^[\w-][\w.-]*$/;

/** Their names hold a hash of what is in them, so that browsers need never ask again. */
async function asset(c: Context<HttpEnv>, folder: string, name: string): Promise<Response> {
  const type = TYPES[extname(name)];
  if (!NAME.test(name) || type === undefined) return c.notFound();
  const file = join(folder, "assets", name);
  const isPacked = (c.req.header("accept-encoding") ?? "").includes("gzip");
  const packed = isPacked ? await readIfThere(`${file}.gz`) : null;
  const bytes = packed ?? (await readIfThere(file));
  if (bytes === null) return c.notFound();
  return c.body(new Uint8Array(bytes), 200, {
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
    ...(packed !== null && { "content-encoding": "gzip" }),
  });
}

async function readIfThere(file: string): Promise<Buffer | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}
