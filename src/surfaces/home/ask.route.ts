import type { Context } from "hono";
import type { SignedIn } from "../../domains/identity/index.ts";
import { isAppError, plainToolNames } from "../../kernel/errors.ts";
import { callInside } from "../../registry/call.ts";
import type { Caller, CallMeta } from "../../registry/caller.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { firstWithContent } from "../oauth/consent.route.ts";
import { errorsAsPages } from "../oauth/pages/error.page.ts";
import { sendPage, signedInNav } from "../oauth/pages/page.ts";
import { wordsOf } from "../oauth/pages/words.ts";
import { ASK_PATH, type AskView, askPage, type DataAnswer, type DocumentsAnswer } from "./ask.page.ts";
import { footerOf, type HomeParts } from "./home.route.ts";

/** Memories that are shown where data and documents have no answer. */
const MEMORIES = 3;

/** One question and its answer, on the path that every call takes. */
export function mountAsk(app: HttpApp, parts: HomeParts): void {
  const { browser, identity, forms } = parts;
  app.get(ASK_PATH, errorsAsPages, async (c) => {
    const person = await browser.of(c);
    if (person === null) {
      const { pathname, search } = new URL(c.req.url);
      return c.redirect(`/sign-in?return_to=${encodeURIComponent(pathname + search)}`, 303);
    }
    const workspaces = await identity.users.workspacesOf(person.accountId);
    const named = workspaces.find(({ slug }) => slug === c.req.query("workspace"));
    const workspace = named ?? (await firstWithContent(workspaces, parts.hasContent));
    const question = (c.req.query("q") ?? "").trim();
    const t = wordsOf(c);
    const found =
      question === "" || workspace === undefined
        ? { data: null, documents: null, memories: [], problems: [] }
        : await answerTo(parts, c, person, workspace.id, question);
    return sendPage(c, {
      title: question === "" ? t`Ask` : t`${question}`,
      body: askPage(t, { question, workspaces, workspace: workspace?.slug ?? "", ...found }),
      wide: { nav: signedInNav(t, person.email, forms.tokenFor(c)), footer: footerOf(parts) },
    });
  });
}

type Found = Pick<AskView, "data" | "documents" | "memories" | "problems">;

/** Data first; where they have no answer, documents and memory are asked as well. */
async function answerTo(
  { identity, registry, ports }: HomeParts,
  c: Context<HttpEnv>,
  { accountId }: SignedIn,
  workspaceId: number,
  question: string,
): Promise<Found> {
  const caller = await identity.callerFor({ workspaceId, userId: accountId });
  const address = c.get("address");
  await identity.limiter.admit({ surface: "all", tokenHash: `account ${accountId}`, address });
  const problems: string[] = [];
  const ask = async <T>(tool: string, args: object): Promise<T | null> => {
    const environment = { caller, meta: metaOf(c), signal: c.req.raw.signal, say: plainToolNames };
    return callInside(ports, registry, tool, args, environment).catch((error: unknown) => {
      if (!isAppError(error) || error.code === "internal") throw error;
      if (error.code !== "not_found" || tool === "ask_data") problems.push(plainToolNames(error.advice));
      return null;
    }) as Promise<T | null>;
  };
  const data = mayUse(caller, "bi:read") ? await ask<DataAnswer>("ask_data", { question }) : null;
  if (data?.outcome === "answer") return { data, documents: null, memories: [], problems };
  const documents = mayUse(caller, "knowledge:read")
    ? await ask<DocumentsAnswer>("ask_documents", { question })
    : null;
  const isTold = documents?.status === "answered";
  const recalled =
    mayUse(caller, "memory:read") && !isTold
      ? await ask<{ hits: AskView["memories"] }>("recall", { query: question, k: MEMORIES })
      : null;
  const memories = recalled?.hits ?? [];
  const isFound = isTold || memories.length > 0;
  // That data know nothing of it is only worth a word where nobody else does.
  const shown = data?.outcome === "refuse" && isFound ? null : data;
  return { data: shown, documents, memories, problems };
}

function mayUse({ permissions }: Caller, permission: Caller["permissions"][number]): boolean {
  return permissions.includes(permission);
}

function metaOf(c: Context<HttpEnv>): CallMeta {
  return {
    surface: "all",
    requestId: c.get("requestId"),
    address: c.get("address"),
    tokenHash: "",
    sessionId: null,
    client: { name: "browser", version: "" },
  };
}
