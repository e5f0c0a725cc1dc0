import type { MiddlewareHandler } from "hono";

export interface BrowserGuardOptions {
  appUrl: string;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const CORS_REQUEST_HEADERS =
  "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, x-mcp-toolsets, x-mcp-readonly";
const CORS_RESPONSE_HEADERS = "mcp-session-id, www-authenticate, retry-after, x-request-id";

/**
 * Keeps foreign web pages out: the Host must be ours (DNS rebinding), an Origin must be allowed, and only
 * allowed origins get CORS headers. Programs send no Origin and pass.
 */
export function browserGuard({
  appUrl,
  allowedHosts,
  allowedOrigins,
}: BrowserGuardOptions): MiddlewareHandler {
  const app = new URL(appUrl);
  const hosts = new Set([app.hostname, ...LOOPBACK, ...allowedHosts.map(normalHost)]);
  const origins = new Set([app.origin, ...allowedOrigins]);
  return async (c, next) => {
    const host = URL.parse(`http://${c.req.header("host") ?? ""}`);
    // An entry without a port stands for all ports.
    if (host === null || !(hosts.has(host.hostname) || hosts.has(`${host.hostname}:${portOf(host)}`))) {
      return c.json(
        {
          error: "forbidden",
          message: `Host ${host?.host ?? ""} is not served here; set APP_URL or KENNING_ALLOWED_HOSTS.`,
        },
        403,
      );
    }
    const origin = c.req.header("origin");
    if (origin === undefined) return next();
    if (!isAllowedOrigin(origin, origins)) {
      return c.json(
        {
          error: "forbidden",
          message: `Origin ${origin} may not call this server; set KENNING_ALLOWED_ORIGINS.`,
        },
        403,
      );
    }
    if (c.req.method === "OPTIONS") {
      return c.body(null, 204, {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers": CORS_REQUEST_HEADERS,
        "access-control-max-age": "600",
        vary: "Origin",
      });
    }
    await next();
    c.res.headers.set("access-control-allow-origin", origin);
    c.res.headers.set("access-control-expose-headers", CORS_RESPONSE_HEADERS);
    c.res.headers.append("vary", "Origin");
  };
}

/** Pages on this machine's own loopback are the developer's tools, such as the MCP Inspector. */
function isAllowedOrigin(origin: string, origins: ReadonlySet<string>): boolean {
  if (origins.has(origin)) return true;
  const url = URL.parse(origin);
  return url !== null && url.origin === origin && url.protocol === "http:" && LOOPBACK.includes(url.hostname);
}

/** A name or address as a URL writes it, with its port if the operator gave one. */
function normalHost(entry: string): string {
  const url = URL.parse(`http://${entry}`);
  if (url === null) return entry.toLowerCase();
  return /:\d+$/.test(entry.replace(/^\[.*\]/, "")) ? `${url.hostname}:${portOf(url)}` : url.hostname;
}

/** Clients leave out the port that is usual for their scheme, and behind a proxy we do not see the scheme. */
function portOf({ port }: URL): string {
  return ["", "80", "443"].includes(port) ? "usual" : port;
}
