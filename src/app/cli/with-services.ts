import type { Identity } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Retrieval } from "../../platform/retrieval/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type Config, loadConfig } from "../config.ts";
import { openIdentity } from "../core-services.ts";
import { hasEmbeddedDatabase, requireHome } from "../home/home-folder.ts";
import { type Opened, open } from "../open.ts";
import { register, type Services } from "../slices.ts";
import { auditedCommand } from "./command-audit.ts";

/** Opens the catalog for one piece of work, whether the server runs or not, and closes it again. */
export async function withIdentity<T>(work: (identity: Identity) => Promise<T>): Promise<T> {
  requireDatabase(loadConfig());
  return makeHomeWith(work);
}

/** The same for what may come before everything else: it makes a database where there is none. */
export async function makeHomeWith<T>(work: (identity: Identity) => Promise<T>): Promise<T> {
  const config = loadConfig();
  requireHome(config.storage.home);
  const { identity, close } = await openIdentity(quiet(config));
  try {
    return await auditedCommand(identity, () => work(identity));
  } finally {
    await close();
  }
}

export function requireDatabase({ storage: { home, databaseUrl } }: Config): void {
  requireHome(home);
  if (databaseUrl !== null || hasEmbeddedDatabase(home)) return;
  throw new AppError("not_found", `There is no database in ${home} yet.`, {
    hint: "Start Kenning once with: kenning serve. If it keeps its data elsewhere, set KENNING_HOME.",
  });
}

/** What interests the operator of a server (the database started, tables were made) is noise beside a command, which says itself what failed. */
export function quiet(config: Config): Config {
  const { operations } = config;
  return operations.logLevel === "info"
    ? { ...config, operations: { ...operations, logLevel: "error" } }
    : config;
}

/** The services of all slices, and who works with them. */
interface OpenedData extends Services {
  retrieval: Retrieval;
  /** The operator in this workspace: everything an admin may, without limits. Throws `not_found`. */
  callerFor(slug: string): Promise<Caller>;
}

/** Opens everything for one piece of work, whether the server runs or not, and closes it again. */
export async function withData<T>(work: (opened: OpenedData) => Promise<T>): Promise<T> {
  return withOpened(({ services, engines }) => {
    const callerFor = (slug: string) => operatorIn(services.identity, slug);
    return work({ ...services, retrieval: engines.retrieval, callerFor });
  });
}

interface OpenedTools extends Opened {
  /** A member of this workspace, or without an address the operator. */
  callerFor(slug: string, email: string | undefined): Promise<Caller>;
}

/** The same with all tools registered. Jobs that these ask for are worked on here, too. */
export async function withTools<T>(work: (opened: OpenedTools) => Promise<T>): Promise<T> {
  return withOpened(async (opened) => {
    const { engines, services } = opened;
    register(engines.registry, services);
    await engines.jobs.start({ at: "first_job" });
    const { identity } = services;
    const callerFor = (slug: string, email: string | undefined) =>
      email === undefined ? operatorIn(identity, slug) : memberIn(identity, slug, email);
    return work({ ...opened, callerFor });
  });
}

async function withOpened<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = loadConfig();
  // Whatever the work is, it needs a workspace: there is none where there is no database yet.
  requireDatabase(config);
  const opened = await open(quiet(config));
  try {
    return await auditedCommand(opened.services.identity, () => work(opened));
  } finally {
    await opened.close();
  }
}

/** What the operator makes belongs to an admin of the workspace, so that somebody answers for it there. */
async function operatorIn(identity: Identity, slug: string): Promise<Caller> {
  const workspace = await identity.workspaces.bySlug(slug);
  const members = await identity.users.list({ workspace: slug });
  const admin = members.find(({ role, disabled }) => role === "admin" && !disabled);
  if (admin === undefined) {
    throw new AppError("conflict", `The workspace ${slug} has no admin, in whose name this could be done.`, {
      hint: `Make one: kenning user create EMAIL --workspace ${slug} --role admin`,
    });
  }
  return identity.callerFor({ workspaceId: workspace.id, userId: admin.userId, operator: true });
}

/** With the power of that member's role, and no more. */
async function memberIn(identity: Identity, slug: string, email: string): Promise<Caller> {
  const { id: workspaceId } = await identity.workspaces.bySlug(slug);
  const members = await identity.users.list({ workspace: slug });
  const member = members.find((each) => each.email === email.toLowerCase());
  if (member !== undefined) return identity.callerFor({ workspaceId, userId: member.userId });
  throw new AppError("not_found", `${email} is not a member of ${slug}.`, {
    hint: `See: kenning user list --workspace ${slug}`,
  });
}

/** Ctrl-C ends the work in an orderly way, with nothing half done left behind. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, abort);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of signals) process.off(signal, abort);
  }
}
