import { toolsOf } from "../../registry/define-tool.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Identity } from "./identity.ts";

/** What the tools of this slice work with. */
export interface IdentityServices extends Identity {
  appUrl: string;
  describeToolsets: Registry["toolsets"];
  /** Also those that only pages call. */
  allTools: () => ReturnType<Registry["tools"]>;
}

export const defineTool = toolsOf<IdentityServices>();
