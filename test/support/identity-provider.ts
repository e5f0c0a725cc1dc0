import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { Provider } from "oidc-provider";

/** A company's identity provider on loopback: a certified one, and one that lies as it is told to. */

export interface CompanyProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  close(): Promise<void>;
}

type Claims = Record<string, unknown>;

const CLIENT = { clientId: "kenning", clientSecret: "a secret of the company" };

/** oidc-provider with people who are signed in at once: whoever `signsIn` names is at the keyboard. */
export async function startIdentityProvider(
  appUrl: string,
  people: Record<string, Claims>,
  id = "company",
): Promise<CompanyProvider & { signsIn(subject: string): void }> {
  let subject = Object.keys(people)[0] ?? "";
  const { server, issuer, close } = await listen();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${appUrl}/api/auth/${id}/callback`],
        post_logout_redirect_uris: [`${appUrl}/signed-out`],
      },
    ],
    cookies: { keys: ["k".repeat(32)] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups", "region"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people[accountId] }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId,
        accountId: oidc.session?.accountId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/interaction/"))
      await provider.interactionFinished(request, response, { login: { accountId: subject } });
    else await answer(request, response);
  });
  return {
    issuer,
    ...CLIENT,
    close,
    signsIn(next) {
      subject = next;
    },
  };
}

interface Lie {
  /** Claims of the id token instead of the right ones; `undefined` leaves one out. */
  claims?: JWTPayload;
  /** Signs with a key that is not among the published ones. */
  foreignKey?: boolean;
  status?: number;
}

/** Speaks just enough of the protocol to say anything at all in its tokens. */
export async function startLyingProvider(
  people: Claims,
): Promise<CompanyProvider & { lie(next: Lie): void; logoutToken(claims: JWTPayload): Promise<string> }> {
  const { server, issuer, close } = await listen();
  const [published, foreign] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  let lie: Lie = {};
  let nonce = "";
  const sign = (claims: JWTPayload, key = published.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(key);
  const now = () => Math.floor(Date.now() / 1_000);
  const right = () => ({
    iss: issuer,
    aud: CLIENT.clientId,
    sub: "liar",
    nonce,
    iat: now(),
    exp: now() + 300,
  });
  const answers: Record<string, () => unknown> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    }),
    "/jwks": async () => ({
      keys: [{ ...(await exportJWK(published.publicKey)), kid: "one", alg: "RS256", use: "sig" }],
    }),
    "/token": async () => ({
      access_token: "opaque",
      token_type: "bearer",
      id_token: await sign(
        JSON.parse(JSON.stringify({ ...right(), ...people, ...lie.claims })),
        lie.foreignKey ? foreign.privateKey : published.privateKey,
      ),
    }),
  };
  server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", issuer);
    if (url.pathname === "/authorize") {
      nonce = url.searchParams.get("nonce") ?? "";
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", "anything");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const body = await answers[url.pathname]?.();
    response.writeHead(lie.status ?? (body === undefined ? 404 : 200), {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(body ?? {}));
  });
  return {
    ...{ issuer, ...CLIENT, close },
    lie(next) {
      lie = next;
    },
    logoutToken: (claims) =>
      sign({
        ...{ iss: issuer, aud: CLIENT.clientId, iat: now(), exp: now() + 120, jti: "one" },
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
        ...claims,
      }),
  };
}

async function listen(): Promise<{ server: Server; issuer: string; close(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { server, issuer: `http://127.0.0.1:${port}`, close };
}
