import type { KoaContextWithOIDC } from "oidc-provider";
import { wantsPage } from "./pages/page.ts";

/** Puts what the provider answers into the words of seed 001. Each function looks after one thing. */

export interface AnswerParts {
  appUrl: string;
  interactionBase: string;
  isSignedIn: (cookieHeader: string | undefined) => Promise<boolean>;
}

/** What the seed says of a code or refresh token that is not accepted, whatever the reason. */
const REFUSED_GRANTS: Record<string, string> = {
  authorization_code: "Invalid or expired authorization code",
  refresh_token: "Invalid or expired refresh token",
};

export async function inSeedWords(ctx: KoaContextWithOIDC, parts: AnswerParts): Promise<void> {
  // The seed's clients wait for 302.
  if (ctx.status === 303) ctx.status = 302;
  const route = ctx.oidc?.route;
  if (route === "discovery") nameOnlyWhatIsOffered(ctx);
  if (route === "token") explainRefusedGrant(ctx);
  if (route === "authorization" && ctx.status === 302 && !wantsPage(ctx.get("accept"))) {
    await answerProgram(ctx, parts);
  }
}

/** Responses by form or fragment would need a script, and our pages run none. */
function nameOnlyWhatIsOffered(ctx: KoaContextWithOIDC): void {
  const metadata = ctx.body as Record<string, unknown>;
  metadata.response_modes_supported = ["query"];
}

function explainRefusedGrant(ctx: KoaContextWithOIDC): void {
  const answer = ctx.body as { error?: string; error_description?: string };
  const words = REFUSED_GRANTS[String(ctx.oidc.params?.grant_type)];
  if (answer.error === "invalid_grant" && words !== undefined) answer.error_description = words;
}

/** A program that asks for JSON learns of an error or a missing sign-in here; it cannot show a page. */
async function answerProgram(ctx: KoaContextWithOIDC, parts: AnswerParts): Promise<void> {
  const location = new URL(ctx.response.get("location"), parts.appUrl);
  const error = location.searchParams.get("error");
  const isToInteraction =
    location.origin === parts.appUrl && location.pathname.startsWith(parts.interactionBase);
  if (isToInteraction) {
    if (await parts.isSignedIn(ctx.get("cookie"))) return;
    const loginUrl = `${parts.appUrl}/sign-in?return_to=${encodeURIComponent(ctx.url)}`;
    const message = "User must login before authorizing application";
    replace(ctx, 401, { error: "login_required", login_url: loginUrl, message });
  } else if (error !== null) {
    replace(ctx, 400, { error, error_description: location.searchParams.get("error_description") ?? error });
  }
}

function replace(ctx: KoaContextWithOIDC, status: number, body: Record<string, string>): void {
  ctx.remove("location");
  ctx.remove("set-cookie");
  ctx.status = status;
  ctx.body = body;
}
