import type { ValuesOf } from "../../platform/settings/index.ts";
import type { CoreServices, SliceSpec } from "../../registry/slice.ts";
import { createIdentity } from "./create-identity.ts";
import type { IdentityServices } from "./define.ts";
import type { IDENTITY_SETTINGS } from "./settings.ts";
import { enableToolset } from "./tools/enable-toolset.tool.ts";
import { getUsage } from "./tools/get-usage.tool.ts";
import { listAuditEvents } from "./tools/list-audit-events.tool.ts";
import { listMembers } from "./tools/list-members.tool.ts";
import { listToolsets } from "./tools/list-toolsets.tool.ts";
import { removeMember } from "./tools/remove-member.tool.ts";
import { setMember } from "./tools/set-member.tool.ts";
import { whoami } from "./tools/whoami.tool.ts";

/** Who calls. It needs no engines, so that commands about people open nothing else. */
export const identitySlice: SliceSpec<
  "identity",
  IdentityServices,
  unknown,
  ValuesOf<typeof IDENTITY_SETTINGS>,
  CoreServices
> = {
  name: "identity",
  open({ registry, ...core }, _before, { storage, security, mcp }) {
    const questions = { points: mcp.rateLimitMaxRequests, windowMs: mcp.rateLimitWindowMs };
    const identity = createIdentity({
      ...core,
      passwordSignIn: security.passwordSignIn,
      auditRetentionDays: storage.auditRetentionDays,
      rateLimits: { enabled: mcp.rateLimitEnabled, questions },
    });
    return {
      services: {
        ...identity,
        appUrl: core.appUrl,
        describeToolsets: () => registry.toolsets(),
        allTools: () => registry.tools("all"),
      },
      sweep: () => Promise.all([identity.audit.sweep(), identity.membership.sweep()]),
      close: () => identity.close(),
    };
  },
  tools: [
    whoami,
    listToolsets,
    enableToolset,
    listAuditEvents,
    getUsage,
    listMembers,
    setMember,
    removeMember,
  ],
};
