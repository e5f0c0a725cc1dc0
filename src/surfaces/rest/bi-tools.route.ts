import type { Context } from "hono";
import { AppError } from "../../kernel/errors.ts";
import { type CallPorts, call, toolOperation } from "../../registry/call.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import { HTTP_STATUS } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { Admitted } from "../mcp/admitted.ts";
import type { Endpoint } from "../mcp/endpoint.ts";
import { arrivalOf } from "../mcp/routes.ts";
import type { Surface } from "../mcp/surface.ts";
import { publish } from "../mcp/tool-list.ts";

/** The REST twins of seed 000's endpoint: the same tools, by real HTTP statuses. */
export function mountBiTools(
  app: HttpApp,
  surface: Surface,
  endpoint: Endpoint,
  ports: CallPorts,
  appUrl: string,
): void {
  app.get(`${surface.path}/health`, async (c) => {
    const tools = endpoint.tools.list.names();
    const activeSessions = await endpoint.sessions.count();
    return c.json({ status: "healthy", toolCount: tools.length, tools, activeSessions });
  });

  // A token made for the endpoint is good for its twins, so all of them answer to the endpoint's name.
  const arrival = (c: Context<HttpEnv>) => arrivalOf(c, appUrl, surface.path);
  const admit = (c: Context<HttpEnv>) => endpoint.admitOrRefuse(c.req.raw, arrival(c));

  app.get(`${surface.path}/tools`, async (c) => {
    const admission = await admit(c);
    if (admission instanceof Response) return admission;
    return c.json(endpoint.tools.list.visible(admission).map(publish));
  });

  app.get(`${surface.path}/tools/:name`, async (c) => {
    const admission = await admit(c);
    if (admission instanceof Response) return admission;
    const tool = endpoint.tools.list.find(c.req.param("name"), admission);
    if (tool === undefined) throw toolNotFound(c.req.param("name"));
    return c.json(publish(tool));
  });

  app.post(`${surface.path}/tools/call`, async (c) => {
    const admission = await admit(c);
    if (admission instanceof Response) return admission;
    return endpoint.withBody(c.req.raw, arrival(c), admission, ["arguments"], (body) =>
      callTool(c, admission, body as { name?: unknown; arguments?: unknown } | null),
    );
  });

  async function callTool(
    c: Context<HttpEnv>,
    admission: Admitted,
    body: { name?: unknown; arguments?: unknown } | null,
  ): Promise<Response> {
    if (typeof body?.name !== "string") throw new AppError("bad_request", "name is required (string).");
    const tool = endpoint.tools.list.find(body.name, admission);
    if (tool === undefined) return c.json(surface.presenter.unknownTool(body.name, undefined), 404);
    const outcome = await call(ports, toolOperation(tool), body.arguments, {
      ...admission,
      signal: c.req.raw.signal,
      client: NO_CLIENT,
      say: (text) => endpoint.tools.localText(text),
    });
    if (outcome.status === "done") {
      return c.json(surface.presenter.result(tool, outcome.output as Record<string, unknown>, outcome.ms));
    }
    const error =
      outcome.status === "failed"
        ? endpoint.tools.localError(outcome.error)
        : new AppError("unsupported", "This call cannot wait.");
    return c.json(surface.presenter.toolError(error, outcome.ms), HTTP_STATUS[error.code] as 400);
  }
}

function toolNotFound(name: string): AppError {
  return new AppError("not_found", `Tool not found: ${name}.`, {
    hint: "Use /api/2.0/mcp/tools to list valid tool names.",
  });
}
