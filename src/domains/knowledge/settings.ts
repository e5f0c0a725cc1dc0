import { flag, integer, type SettingTree, text } from "../../platform/settings/index.ts";

const DAY_SECONDS = 86_400;

/** The switch, the number and the window of one rate limit of the knowledge endpoint. */
function knowledgeLimit(area: string, requests: number, switchText: string, requestsText: string) {
  return {
    enabled: flag(`EXTERNAL_KNOWLEDGE_MCP_${area}RATE_LIMIT_ENABLED`, true, switchText),
    ...knowledgeWindow(area, requests, requestsText),
  };
}

function knowledgeWindow(area: string, requests: number, requestsText: string) {
  const prefix = `EXTERNAL_KNOWLEDGE_MCP_${area}RATE_LIMIT`;
  const size = { default: requests, min: 1, max: 1_000_000 };
  const window = { default: 60, min: 1, max: DAY_SECONDS };
  return {
    requests: integer(`${prefix}_REQUESTS`, size, `${requestsText} in one window.`),
    windowSeconds: integer(`${prefix}_WINDOW_SECONDS`, window, "Length of that window."),
  };
}

export const KNOWLEDGE_SETTINGS = {
  knowledge: {
    enabled: flag(
      "EXTERNAL_KNOWLEDGE_MCP_ENABLED",
      false,
      "Mounts `/mcp/knowledge-external`. It is meant for trusted systems inside your network.",
    ),
    authModule: text(
      "KENNING_KNOWLEDGE_AUTH",
      "A JavaScript file that says who calls this endpoint, in the place of tokens: it exports `authenticate(token, request)`, which returns `{email, workspace}` of a member, or null.",
    ),
    requests: knowledgeLimit(
      "",
      120,
      "Rate limit of the whole endpoint, by address and by token.",
      "Requests allowed",
    ),
    searches: knowledgeLimit("SEARCH_", 30, "Rate limit of the search tool, by user.", "Searches allowed"),
    downloads: knowledgeLimit(
      "DOWNLOAD_",
      20,
      "Rate limits of document downloads: this one and the two below.",
      "Downloads of one document by one user allowed",
    ),
    downloadsByAddress: knowledgeWindow(
      "DOWNLOAD_PREAUTH_IP_",
      300,
      "Download requests allowed from one address, before the download token is checked,",
    ),
    downloadsByAddressAndDocument: knowledgeWindow(
      "DOWNLOAD_PREAUTH_DOCUMENT_",
      60,
      "Download requests allowed from one address for one document, before the download token is checked,",
    ),
  },
} as const satisfies SettingTree;
