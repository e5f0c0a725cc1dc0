import { z } from "zod";
import type { Identity } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { HttpApp } from "../http/app.ts";
import { readBody } from "../mcp/wire-format.ts";

const credentials = z.object({ clientId: z.string().max(200), clientSecret: z.string().max(200) });

/** Seed 000's sign-in for programs: client id and secret for a bearer of one hour. */
export function mountLogin(app: HttpApp, identity: Identity): void {
  app.post("/api/2.0/login", async (c) => {
    const parsed = credentials.safeParse(await readBody(c.req.raw));
    if (!parsed.success)
      throw new AppError("bad_request", "clientId and clientSecret are required (strings).");
    const { token, expiresInSeconds } = await identity.clients.login({
      ...parsed.data,
      address: c.get("address"),
    });
    const body = { access_token: token, token, token_type: "Bearer", expires_in: expiresInSeconds };
    return c.json(body, 200, { "cache-control": "no-store" });
  });
}
