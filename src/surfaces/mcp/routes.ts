import { finished } from "node:stream";
import type { Context } from "hono";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { Arrival, Endpoint } from "./endpoint.ts";
import type { Surface } from "./surface.ts";

/** The slug below `/mcp/` that belongs to another endpoint. */
export const KNOWLEDGE_PATH = "/mcp/knowledge-external";

export function mountMcp(
  app: HttpApp,
  surface: Surface,
  endpoint: Endpoint,
  appUrl: string,
  path = surface.path,
): void {
  app.all(path, (c) => endpoint.handle(c.req.raw, arrivalOf(c, appUrl)));
}

/** The knowledge endpoint has public pages beside its transport, and may stand a second time below a prefix. */
export function mountKnowledge(
  app: HttpApp,
  surface: Surface,
  endpoint: Endpoint,
  appUrl: string,
  prefix: string,
): void {
  const base = `${prefix}${KNOWLEDGE_PATH}`;
  app.on("GET", [base, `${base}/`], (c) =>
    c.json({
      name: "kenning",
      service: "knowledge-external",
      transport: "streamable-http",
      endpoints: {
        mcp: `${base}/sse`,
        health: `${base}/health`,
        files: `${base}/documents/{document_id}/file`,
      },
    }),
  );
  app.get(`${base}/health`, (c) => c.json({ status: "healthy", service: "knowledge-external" }));
  mountMcp(app, surface, endpoint, appUrl, `${base}/sse`);
}

export function arrivalOf(c: Context<HttpEnv>, appUrl: string, path = encodedPath(c)): Arrival {
  const workspaceSlug = c.req.param("workspace");
  return {
    requestId: c.get("requestId"),
    address: c.get("address"),
    resource: `${appUrl}${path}`,
    metadataUrl: `${appUrl}/.well-known/oauth-protected-resource${path}`,
    ...(workspaceSlug !== undefined && { workspaceSlug }),
    whenClosed: (listener) => void finished(c.env.outgoing, () => listener()),
  };
}

/** Hono decodes the path; in a header or an audience it must stand as it came. */
function encodedPath({ req }: Context<HttpEnv>): string {
  return req.url.includes("%") ? new URL(req.url).pathname : req.path;
}
