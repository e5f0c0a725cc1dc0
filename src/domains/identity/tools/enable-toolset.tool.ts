import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import { isToolset, TOOLSETS, type Toolset } from "../../../registry/define-tool.ts";
import { defineTool } from "../define.ts";

const NAMES = Object.keys(TOOLSETS).filter(isToolset);
const OTHERS = NAMES.filter((name) => !TOOLSETS[name].byDefault);

/** Most conversations never need the tools beyond the default; this one lists them when one does. */
export const enableToolset = defineTool({
  name: "enable_toolset",
  toolset: "system",
  title: "Enable a toolset",
  description: `Adds the tools of a toolset to your list of tools. Not listed by default: ${OTHERS.map((name) => `${name} (${TOOLSETS[name].description})`).join("; ")}.`,
  permission: null,
  effect: "read",
  within: [],
  input: z.strictObject({ toolset: z.enum(NAMES) }),
  output: z.object({
    toolset: z.string(),
    tools: z.array(z.string()),
    url: z.string().describe("Lists them from the start"),
    message: z.string(),
  }),

  async run({ toolset }, { caller, client }) {
    const { tools, keeper, url } = await client.listToolset(toolset);
    if (tools.length === 0) throw noTools(toolset, caller);
    return { toolset, tools, url, message: MESSAGES[keeper] };
  },
});

const AGAIN = "A client that does not list its tools again needs the url instead.";

const MESSAGES = {
  request: "These tools were listed already.",
  session: `They are listed until this session ends, and the client was told that its list has changed. ${AGAIN}`,
  client: `They are listed for this client and token as long as it uses tools now and then. There is no session: a client that listens (subscriptions/listen) was told, others see them when they list tools the next time, which may take a minute. ${AGAIN}`,
};

function noTools(toolset: Toolset, { role, token: { limits } }: Caller): AppError {
  if (limits.toolsets !== null && !limits.toolsets.includes(toolset)) {
    return new AppError("forbidden", `${toolset} is none of the toolsets that this token is for.`, {
      hint: `It is for ${limits.toolsets.join(", ")}. Use another token.`,
    });
  }
  return new AppError("forbidden", `You may use none of the tools of ${toolset}.`, {
    hint: `Your role is ${role}; the token or the address may leave less than that. {tool:list_toolsets} shows what you may use.`,
  });
}
