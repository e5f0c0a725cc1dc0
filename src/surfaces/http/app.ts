import { finished } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Logger } from "pino";
import { newUuid } from "../../kernel/text.ts";
import { asAppError } from "../../registry/as-app-error.ts";
import { notFoundPage } from "../oauth/pages/error.page.ts";
import { sendPage, wantsPage } from "../oauth/pages/page.ts";
import { wordsOf } from "../oauth/pages/words.ts";
import { refusal } from "./answers.ts";
import { type BrowserGuardOptions, browserGuard } from "./browser-guard.ts";
import { ClientAddress } from "./client-address.ts";

export type HttpEnv = {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    address: string;
    /** The answer says itself which pages may show it in a frame. */
    isFramed?: boolean;
  };
};

export type HttpApp = Hono<HttpEnv>;

export interface HttpOptions extends BrowserGuardOptions {
  trustedProxies: readonly string[];
  log: Logger;
  /** Told of a proxy, by its address, through which requests come and which is not trusted. */
  onUntrustedProxy?: (address: string) => void;
  observe: (route: string, method: string, status: number, ms: number) => void;
}

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-site",
};

/** Without a socket, as in some tests, an answer is out at once. */
function whenOut(outgoing: HttpBindings["outgoing"] | undefined, listener: () => void): void {
  if (outgoing === undefined || outgoing.writableFinished) listener();
  else finished(outgoing, () => listener());
}

/** The ground that every route stands on: request id, address, headers, guards, errors, logs. */
export function createHttpApp(options: HttpOptions, mount: (app: HttpApp) => void): HttpApp {
  const app: HttpApp = new Hono<HttpEnv>();
  const clientAddress = new ClientAddress(options.trustedProxies);
  const isHttps = options.appUrl.startsWith("https:");

  app.use(async (c, next) => {
    const started = performance.now();
    const connection = c.env?.incoming?.socket?.remoteAddress ?? "";
    c.set("requestId", newUuid());
    const forwardedFor = c.req.header("x-forwarded-for") ?? null;
    c.set("address", clientAddress.of(connection, forwardedFor));
    if (clientAddress.isUntrustedProxy(connection, forwardedFor)) options.onUntrustedProxy?.(connection);
    await next();
    const { headers, status } = c.res;
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!headers.has(name) && !(name === "x-frame-options" && c.get("isFramed"))) headers.set(name, value);
    if (isHttps) headers.set("strict-transport-security", "max-age=31536000");
    headers.set("x-request-id", c.get("requestId"));
    const { routePath, method, path } = c.req;
    // A call answers by a stream, whose headers are out long before its end.
    whenOut(c.env?.outgoing, () => {
      const ms = performance.now() - started;
      options.observe(routePath, method, status, ms);
      options.log.debug({ requestId: c.get("requestId"), method, path, status, ms }, "request");
    });
  });
  // Probes come by address and carry no browser's power.
  const guard = browserGuard(options);
  app.use((c, next) => (c.req.path.startsWith("/api/health/") ? next() : guard(c, next)));

  mount(app);

  app.notFound((c) => {
    if (wantsPage(c.req.header("accept"))) {
      const t = wordsOf(c);
      return sendPage(c, { title: t`Not found`, body: notFoundPage(t, c.req.path), status: 404 });
    }
    return c.json({ error: "not_found", message: `Nothing is served at ${c.req.path}.` }, 404);
  });
  app.onError((thrown, c) => {
    const error = asAppError(thrown, options.log, { requestId: c.get("requestId"), path: c.req.path });
    return refusal(error, { error: error.code, message: error.advice });
  });
  return app;
}
