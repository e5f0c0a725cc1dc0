import { AppError } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { printListing } from "./output.ts";
import { makeHomeWith, withIdentity } from "./with-services.ts";

export async function createWorkspace(
  { args, options }: { args: { slug: string }; options: { name: string | undefined } },
  terminal: Terminal,
): Promise<number> {
  const input = options.name === undefined ? { slug: args.slug } : { slug: args.slug, name: options.name };
  const workspace = await makeHomeWith(({ workspaces }) => workspaces.create(input));
  terminal.err(`Made the workspace ${workspace.slug} ("${workspace.name}").\n`);
  return 0;
}

export async function listWorkspaces(
  { options }: { options: { json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withIdentity(({ workspaces }) => workspaces.list());
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      slug: ({ slug }) => slug,
      name: ({ name }) => name,
      plan: ({ plan }) => plan,
      created: ({ createdAt }) => createdAt,
    },
    empty: "There are no workspaces yet; make one with: kenning workspace create SLUG",
  });
  return 0;
}

/** Shows what a workspace may use and has used, after it was put on another plan if that is wished for. */
export async function workspacePlan(
  {
    args: { slug },
    options: { use, limits, members, json },
  }: {
    args: { slug: string };
    options: { use: string | undefined; limits: string | undefined; members: boolean; json: boolean };
  },
  terminal: Terminal,
): Promise<number> {
  if (use !== undefined && limits !== undefined)
    throw new AppError("bad_request", "A workspace has the limits of a plan or its own, not both.", {
      hint: "Give --use or --limits.",
    });
  const { plan, items, byMember } = await withIdentity(async ({ workspaces, usage }) => {
    if (use !== undefined) await workspaces.setPlan(slug, { plan: use });
    if (limits !== undefined) await workspaces.setPlan(slug, { limits: limitsIn(limits) });
    const { id, plan } = await workspaces.bySlug(slug);
    return { plan, items: await usage.report(id), byMember: members ? await usage.byMember(id) : undefined };
  });
  terminal.err(`${slug} is on the plan ${plan}.\n`);
  if (byMember !== undefined) {
    printListing(terminal, {
      items: byMember,
      json,
      columns: {
        member: ({ email }) => email,
        agent_calls: ({ agentCalls }) => agentCalls,
        llm_calls: ({ llmCalls }) => llmCalls,
        llm_tokens: ({ llmTokens }) => llmTokens,
      },
      empty: "Nobody has used any this month.",
    });
    return 0;
  }
  printListing(terminal, {
    items,
    json,
    columns: {
      metric: ({ metric }) => metric,
      used: ({ used }) => used,
      limit: ({ limit }) => limit ?? "none",
      period: ({ period }) => period,
    },
    empty: "It limits nothing, and nothing was counted yet.",
  });
  return 0;
}

function limitsIn(text: string): Record<string, number> {
  const pairs = text.split(",").map((pair) => {
    const [, metric, limit] = /^\s*(\w+)\s*=\s*(\d{1,15})\s*$/.exec(pair) ?? [];
    if (metric === undefined)
      throw new AppError("bad_request", `${JSON.stringify(pair)} is no limit.`, {
        hint: "Limits look like memories=500,agent_calls=1000.",
      });
    return [metric, Number(limit)] as const;
  });
  return Object.fromEntries(pairs);
}
