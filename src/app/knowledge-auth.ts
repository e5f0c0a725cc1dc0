import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Authenticated, Identity } from "../domains/identity/index.ts";
import { AppError } from "../kernel/errors.ts";
import type { Permission } from "../kernel/permissions.ts";

/** Who is calling, as the operator's own module says; null for nobody. */
const user = z.object({ email: z.string().min(3), workspace: z.string().min(1) }).nullable();
const MODULE = z.object({ authenticate: z.custom<Handler>((value) => typeof value === "function") });

/** What such a module exports: it may look at the bearer token, at headers that a gateway sets, or at both. */
type Handler = (token: string | null, request: Request) => unknown;

const SCOPES: readonly Permission[] = ["knowledge:read", "knowledge:write"];

/** Lets a module of the operator's say who calls the knowledge endpoint, in the place of our own tokens. */
export async function loadKnowledgeAuth(
  file: string,
  identity: Identity,
): Promise<(request: Request) => Promise<Authenticated>> {
  const loaded = MODULE.safeParse(await import(pathToFileURL(file).href));
  if (!loaded.success)
    throw new AppError("bad_request", `${file} (KENNING_KNOWLEDGE_AUTH) exports no function authenticate.`);
  const { authenticate } = loaded.data;
  return async (request) => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
    const said = user.safeParse((await authenticate(token, request)) ?? null);
    if (!said.success || said.data === null)
      throw new AppError("unauthorized", "Nobody is signed in.", { data: { reason: "missing" } });
    const { email, workspace } = said.data;
    const { id: workspaceId, plan } = await identity.workspaces.bySlug(workspace).catch(refused);
    const members = await identity.users.list({ workspace });
    const member = members.find((each) => each.email === email.toLowerCase());
    if (member === undefined) return refused();
    const caller = await identity
      .callerFor({ workspaceId, userId: member.userId, scopes: SCOPES })
      .catch(refused);
    const tokenHash = createHash("sha256")
      .update(`${token ?? ""} ${workspaceId} ${member.userId}`)
      .digest("hex");
    return { caller, tokenHash, plan };
  };
}

function refused(): never {
  throw new AppError("unauthorized", "Nobody is signed in.", { data: { reason: "missing" } });
}
