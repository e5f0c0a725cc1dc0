import { toolsOf } from "../../registry/define-tool.ts";
import type { WireTool } from "../../registry/registry.ts";
import type { AuditLog } from "./identity.ts";

/** What the tools of this slice work with. */
export interface IdentityServices {
  audit: AuditLog;
  /** The toolsets there are, each with its tools on `/mcp`. */
  describeToolsets: () => { name: string; description: string; byDefault: boolean; tools: WireTool[] }[];
}

export const defineTool = toolsOf<IdentityServices>();
