import type { Permission } from "../../kernel/permissions.ts";
import { MS } from "../../kernel/time.ts";
import type { SurfaceName } from "../../registry/caller.ts";
import {
  agentPresenter,
  allPresenter,
  biPresenter,
  knowledgePresenter,
  memoryPresenter,
  type Presenter,
  plainPresenter,
} from "./presenters.ts";

/** What happens to a session id that the server does not know. */
type UnknownSession = "create" | "issue-new" | "refuse";

/** One MCP endpoint: a filter over the registry and a presenter of results. */
export interface Surface {
  name: SurfaceName;
  /** As Hono routes it; `:workspace` is the slug. */
  path: string;
  presenter: Presenter;
  /** What a token must be allowed before it may even open a session. */
  entry: readonly Permission[];
  /** The revision answered to a client that names none. */
  defaultProtocolVersion: string;
  sessions: {
    unknown: UnknownSession;
    /** What requests without a session id get: nothing, an id that becomes a session when it is used, or a session. */
    unasked: "nothing" | "id" | "session";
    /** Idle time after which a session ends; null for the setting of all. */
    idleMs: number | null;
    /** The body that answers DELETE, where the seed has one. */
    endedBody: Record<string, unknown> | null;
  };
  /** The status that acknowledges a notification: 202, but for a seed that says otherwise. */
  acknowledgedStatus: 202 | 204;
  hasLogging: boolean;
  /** Its contract has resources, even while there are none. */
  offersResources: boolean;
  /** Tools that the caller's role cannot use are left out of the list (a seed's endpoint shows them all). */
  hidesForbidden: boolean;
  /** Its tools are listed by toolset. */
  hasToolsets: boolean;
  /** Names tools as `{tool:…}`, as hints do. */
  instructions: string;
}

const PLAIN = {
  entry: [],
  defaultProtocolVersion: "2025-06-18",
  sessions: { unknown: "refuse", unasked: "nothing", idleMs: null, endedBody: null },
  acknowledgedStatus: 202,
  hasLogging: false,
  offersResources: false,
  hidesForbidden: false,
  hasToolsets: false,
} as const;
const BI_SESSIONS = { unknown: "issue-new", unasked: "id", idleMs: 30 * MS.minute, endedBody: null } as const;
const AGENT_SESSIONS = {
  unknown: "create",
  unasked: "session",
  idleMs: null,
  endedBody: { message: "Session terminated" },
} as const;

export const MCP_SURFACES: readonly Surface[] = [
  {
    ...PLAIN,
    name: "bi",
    acknowledgedStatus: 204,
    path: "/api/2.0/mcp",
    presenter: biPresenter,
    defaultProtocolVersion: "2024-11-05",
    sessions: BI_SESSIONS,
    instructions: "Dashboards, widgets, datasets, queries, reports and alerts of one workspace.",
  },
  {
    ...PLAIN,
    name: "agent",
    path: "/api/data-agent/mcp",
    presenter: agentPresenter,
    entry: ["data_agent:read", "ontologies:read"],
    sessions: AGENT_SESSIONS,
    offersResources: true,
    instructions: "Ask questions about data in plain language. List the semantic models first.",
  },
  {
    ...PLAIN,
    name: "memory",
    path: "/api/mcp/v1",
    presenter: memoryPresenter,
    instructions: "The memory of one workspace: recall facts, store new ones, and update those that changed.",
  },
  {
    ...PLAIN,
    name: "models",
    path: "/mcp/:workspace/mcp",
    presenter: plainPresenter,
    instructions:
      "Semantic models of one workspace: read a model's digest, then query its datasets with SQL.",
  },
  {
    ...PLAIN,
    name: "knowledge",
    path: "/mcp/knowledge-external/sse",
    presenter: knowledgePresenter,
    instructions: "Knowledge bases: list them, browse their documents, read, download or search.",
  },
  {
    ...PLAIN,
    name: "all",
    hasLogging: true,
    hasToolsets: true,
    path: "/mcp",
    presenter: allPresenter,
    defaultProtocolVersion: "2025-11-25",
    offersResources: true,
    hidesForbidden: true,
    instructions:
      "Everything this workspace knows: its data, documents and memory. {tool:list_toolsets} shows which groups of tools there are beyond the ones listed, and {tool:enable_toolset} adds one.",
  },
];
