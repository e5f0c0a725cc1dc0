import type { Permission } from "../../../kernel/permissions.ts";

/** What a permission means, for the person who gives it. */
export const PERMISSION_WORDS: Record<Permission, string> = {
  "data_agent:read": "Connect to the data agent",
  "data_agent:write": "Ask questions about your data",
  "ontologies:read": "See semantic models and their datasets",
  "ontologies:write": "Change semantic models",
  "bi:read": "See dashboards, datasets, queries and reports",
  "bi:write": "Create and change dashboards, datasets, queries and reports",
  "memory:read": "Recall what the workspace remembers",
  "memory:write": "Store and change memories",
  "knowledge:read": "Read and search knowledge bases",
  "knowledge:write": "Add and change documents",
  admin: "Administer the workspace, with its audit log",
};
