import { z } from "zod";
import type { Identity } from "../../domains/identity/index.ts";
import { LIMITS } from "../../domains/identity/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import type { HttpApp } from "../http/app.ts";
import { readBody } from "../http/body.ts";

const credentials = z.object({ clientId: z.string().max(200), clientSecret: z.string().max(200) });

/** Seed 000's sign-in for programs: client id and secret for a bearer of one hour. */
export function mountLogin(app: HttpApp, identity: Identity): void {
  app.post("/api/2.0/login", async (c) => {
    const address = c.get("address");
    const given = await readCredentials(c.req.raw).catch(async (error: unknown) => {
      // Otherwise whoever guesses could also send rubbish without end.
      await identity.limiter.admitAttempt(address);
      await identity.limiter.failedAttempt(address);
      throw error;
    });
    const { token, expiresInSeconds } = await identity.clients.login({ ...given, address });
    const body = { access_token: token, token, token_type: "Bearer", expires_in: expiresInSeconds };
    return c.json(body, 200, { "cache-control": "no-store" });
  });
}

async function readCredentials(request: Request): Promise<z.infer<typeof credentials>> {
  const parsed = credentials.safeParse(await readBody(request, { maxBytes: LIMITS.identity.loginBytes }));
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", "clientId and clientSecret are required (strings).");
}
