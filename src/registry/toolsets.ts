/** The groups in which tools are switched on and off on `/mcp`. */
export const TOOLSETS = {
  system: { description: "Who you are and which toolsets there are", byDefault: true },
  knowledge: { description: "Documents in knowledge bases: find, read, add and ask", byDefault: true },
  library: {
    description: "Make and share knowledge bases; rename, move and delete documents; extract data from them",
    byDefault: false,
  },
  memory: { description: "Facts that change over time, linked in a graph", byDefault: true },
  curation: {
    description: "Look after memories: lists, history, pin, expire, retract, erase, rules for relations",
    byDefault: false,
  },
  models: { description: "Semantic models and SQL over them", byDefault: true },
  modeling: {
    description: "Write, check and publish semantic models; preferences for questions",
    byDefault: false,
  },
  data: { description: "Datasets: find, read, add and export rows", byDefault: true },
  dashboards: {
    description: "Dashboards and widgets: make, change, lay out, export as PDF or PNG, and embed",
    byDefault: false,
  },
  datasources: { description: "Connect databases and web APIs, and make queries on them", byDefault: false },
  alerts: {
    description: "Alerts on datasets and scheduled reports: make, list and change; what was sent to whom",
    byDefault: false,
  },
  notifications: {
    description: "Channels that alerts and reports go to: Slack, Teams, webhooks",
    byDefault: false,
  },
  admin: { description: "Audit log and administration of the workspace", byDefault: false },
} as const satisfies Record<string, { description: string; byDefault: boolean }>;

export type Toolset = keyof typeof TOOLSETS;

export function isToolset(word: string): word is Toolset {
  return Object.hasOwn(TOOLSETS, word);
}
