import type { Context } from "hono";
import type { SignedIn } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";

/** Signed in, and for changes: asked for by a page of ours, not by one that merely rides on the cookie. */
export async function requirePerson(
  { appUrl, browser }: { appUrl: string; browser: BrowserSession },
  c: Context<HttpEnv>,
): Promise<SignedIn> {
  const origin = c.req.header("origin");
  const isJson = (c.req.header("content-type") ?? "").startsWith("application/json");
  if (origin !== undefined && origin !== new URL(appUrl).origin) {
    throw new AppError("forbidden", "Only pages of this server may call its console API.");
  }
  if (["POST", "PATCH"].includes(c.req.method) && !isJson) throw new AppError("unsupported", "Send JSON.");
  const person = await browser.of(c);
  if (person === null) throw new AppError("unauthorized", "Sign in first.", { hint: `${appUrl}/sign-in` });
  return person;
}
