import type { Context } from "hono";
import type { SignedIn } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";
import { isOwnOrigin } from "../oauth/form-guard.ts";

interface PersonParts {
  appUrl: string;
  browser: BrowserSession;
}

/** Signed in, and for changes: asked for by a page of ours, not by one that merely rides on the cookie. */
export async function requirePerson(parts: PersonParts, c: Context<HttpEnv>): Promise<SignedIn> {
  requireOwnOrigin(parts, c);
  const isJson = (c.req.header("content-type") ?? "").startsWith("application/json");
  if (["POST", "PATCH"].includes(c.req.method) && !isJson) throw new AppError("unsupported", "Send JSON.");
  return requireSession(parts, c);
}

/** For the console's own calls: a header that no other page can send stands for the content type, so that files travel as they are. */
export async function requireConsole(parts: PersonParts, c: Context<HttpEnv>): Promise<SignedIn> {
  requireOwnOrigin(parts, c);
  if (c.req.header("x-kenning-console") !== "1") {
    throw new AppError("forbidden", "Only the console may call this address.", {
      hint: "Programs call the same tools at /mcp, with a token.",
    });
  }
  return requireSession(parts, c);
}

function requireOwnOrigin({ appUrl }: PersonParts, c: Context<HttpEnv>): void {
  if (isOwnOrigin(c, appUrl)) return;
  throw new AppError("forbidden", "Only pages of this server may call its console API.");
}

export async function requireSession(
  { appUrl, browser }: PersonParts,
  c: Context<HttpEnv>,
): Promise<SignedIn> {
  const person = await browser.of(c);
  if (person === null) throw new AppError("unauthorized", "Sign in first.", { hint: `${appUrl}/sign-in` });
  return person;
}
