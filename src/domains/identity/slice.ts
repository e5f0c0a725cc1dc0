import type { Slice } from "../../registry/registry.ts";
import type { IdentityServices } from "./define.ts";
import { enableToolset } from "./tools/enable-toolset.tool.ts";
import { listAuditEvents } from "./tools/list-audit-events.tool.ts";
import { listToolsets } from "./tools/list-toolsets.tool.ts";
import { whoami } from "./tools/whoami.tool.ts";

export function identitySlice(services: IdentityServices): Slice<IdentityServices> {
  return { services, tools: [whoami, listToolsets, enableToolset, listAuditEvents] };
}
