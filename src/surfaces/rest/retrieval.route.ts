import type { Context } from "hono";
import { z } from "zod";
import { type CallPorts, call, toolOperation } from "../../registry/call.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import { HTTP_STATUS } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { Endpoint } from "../mcp/endpoint.ts";
import { arrivalOf } from "../mcp/routes.ts";
import type { Surface } from "../mcp/surface.ts";

const SEARCH = "wegent_kb_search_content";
const body = z.object({
  knowledge_id: z.string().regex(/^[1-9]\d{0,14}$/),
  query: z.string(),
  retrieval_setting: z
    .object({
      top_k: z.int().min(1).max(50).default(10),
      score_threshold: z.number().min(0).max(1).default(0),
    })
    .default({ top_k: 10, score_threshold: 0 }),
});

/** What such tools are told when something is wrong. */
const CODES = { unauthorized: 1002, not_found: 2001 } as Readonly<Record<string, number>>;

interface Found {
  records: {
    content: string;
    score: number;
    title: string;
    document_id: number;
    knowledge_base_id: number;
  }[];
}

/** The search tool in the form in which Dify and its like ask for knowledge. */
export function mountRetrieval(
  app: HttpApp,
  surface: Surface,
  endpoint: Endpoint,
  ports: CallPorts,
  appUrl: string,
): void {
  app.post("/retrieval", async (c) => {
    const arrival = arrivalOf(c, appUrl, surface.path);
    const admission = await endpoint.admitOrRefuse(c.req.raw, arrival);
    if (admission instanceof Response)
      return c.json({ error_code: 1002, error_msg: "Authorization failed" }, admission.status as 401);
    return endpoint.withBody(c.req.raw, arrival, admission, [], async (read) => {
      const parsed = body.safeParse(read);
      if (!parsed.success) return failure(c, 400, 1000, z.prettifyError(parsed.error));
      const { knowledge_id, query, retrieval_setting } = parsed.data;
      const tool = endpoint.tools.list.find(SEARCH, admission);
      if (tool === undefined) return failure(c, 403, 1002, "This token may not search documents.");
      const args = {
        query,
        knowledge_base_ids: [Number(knowledge_id)],
        max_results: retrieval_setting.top_k,
      };
      const outcome = await call(ports, toolOperation(tool), args, {
        ...admission,
        signal: c.req.raw.signal,
        client: NO_CLIENT,
        say: (text) => endpoint.tools.localText(text),
      });
      if (outcome.status !== "done") {
        const error = outcome.status === "failed" ? outcome.error : undefined;
        const code = error?.code ?? "internal";
        return failure(c, HTTP_STATUS[code] as 400, CODES[code] ?? 1000, error?.advice ?? "It cannot wait.");
      }
      const { records } = outcome.output as Found;
      return c.json({
        records: records
          .filter(({ score }) => score >= retrieval_setting.score_threshold)
          .map(({ content, score, title, document_id, knowledge_base_id }) => ({
            content,
            score,
            title,
            metadata: { document_id, knowledge_base_id },
          })),
      });
    });
  });
}

function failure(c: Context<HttpEnv>, status: 400 | 403, code: number, message: string): Response {
  return c.json({ error_code: code, error_msg: message }, status);
}
