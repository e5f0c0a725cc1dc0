import { describe, expect, it } from "vitest";
import { SURFACES, type SurfaceName } from "../../../src/registry/caller.ts";
import { appUrlOf } from "../../support/oauth-client.ts";
import { PATHS, rpc } from "../../support/rpc.ts";
import { serverOfFile } from "../../support/server.ts";

/** How a client that has nothing but a URL finds everything else. */

const server = await serverOfFile();
const appUrl = appUrlOf(server);

interface Document {
  status: number;
  body: Record<string, unknown>;
}

async function documentAt(path: string): Promise<Document> {
  const response = await server.request(path);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const SCOPES: Record<SurfaceName, readonly string[]> = {
  bi: ["bi:read", "bi:write"],
  agent: ["data_agent:read", "data_agent:write", "ontologies:read"],
  memory: ["memory:read", "memory:write"],
  models: ["ontologies:read", "ontologies:write"],
  knowledge: ["knowledge:read", "knowledge:write"],
  all: ["data_agent:read", "bi:write", "memory:read", "knowledge:write", "admin"],
};

describe("protected resource metadata", () => {
  it.each(SURFACES)("[oauth.discovery.resource] describes the endpoint %s", async (surface) => {
    const path = PATHS[surface];
    expect(await documentAt(`/.well-known/oauth-protected-resource${path}`)).toEqual({
      status: 200,
      body: {
        resource: `${appUrl}${path}`,
        authorization_servers: [appUrl],
        scopes_supported: expect.arrayContaining([...SCOPES[surface]]),
        bearer_methods_supported: ["header"],
        resource_name: expect.any(String),
      },
    });
  });

  it("names for the agent endpoint exactly the scopes of its contract", async () => {
    const { body } = await documentAt(`/.well-known/oauth-protected-resource${PATHS.agent}`);
    expect(body.scopes_supported).toEqual(SCOPES.agent);
  });

  it.each(SURFACES)("[oauth.discovery.spellings] is the same in every spelling for %s", async (surface) => {
    const path = PATHS[surface];
    const [first, ...others] = await Promise.all(
      ["", "/api/oauth"]
        .flatMap((base) =>
          ["oauth-protected-resource", "protected-resource"].map((name) => `${base}/.well-known/${name}`),
        )
        .map((address) => documentAt(`${address}${path}`)),
    );
    for (const other of others) expect(other).toEqual(first);
  });

  it("[oauth.discovery.spellings] is the agent's where the contract names no path", async () => {
    for (const address of [
      "/api/oauth/.well-known/protected-resource",
      "/api/oauth/.well-known/oauth-protected-resource",
    ]) {
      expect((await documentAt(address)).body.resource, address).toBe(`${appUrl}${PATHS.agent}`);
    }
  });

  it("[oauth.discovery.unknown-workspace] looks the same for a workspace that does not exist", async () => {
    const known = await documentAt("/.well-known/oauth-protected-resource/mcp/acme/mcp");
    const unknown = await documentAt("/.well-known/oauth-protected-resource/mcp/nobody/mcp");
    const asKnown = JSON.parse(JSON.stringify(unknown).replaceAll("nobody", "acme"));
    expect(asKnown).toEqual(known);
  });

  it.each(["/", "/nothing", "/mcp/", "/mcp/a/b/mcp", "/mcp/%2e%2e/mcp/x", "/mcp/<script>/mcp"])(
    "is not there for %s",
    async (path) => {
      expect((await documentAt(`/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
    },
  );

  it.each(SURFACES)(
    "[oauth.discovery.challenge] is named by the 401 of %s, and leads to the server",
    async (surface) => {
      const refused = await rpc(server, PATHS[surface], "tools/list");
      expect(refused.status).toBe(401);
      const challenge = refused.headers.get("www-authenticate") ?? "";
      const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
      const resource = (await (await fetch(metadataUrl)).json()) as {
        resource: string;
        authorization_servers: string[];
      };
      expect(resource.resource).toBe(`${appUrl}${PATHS[surface]}`);
      const issuer = resource.authorization_servers[0] ?? "";
      const found = (await (
        await fetch(`${issuer}/.well-known/oauth-authorization-server`)
      ).json()) as Record<string, string>;
      expect(found.issuer).toBe(issuer);
    },
  );
});

describe("authorization server metadata", () => {
  it("[oauth.discovery.server] holds all that the contract shows, and what today's clients look for", async () => {
    const { status, body } = await documentAt("/.well-known/oauth-authorization-server");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      issuer: appUrl,
      authorization_endpoint: `${appUrl}/api/oauth/authorize`,
      token_endpoint: `${appUrl}/api/oauth/token`,
      registration_endpoint: `${appUrl}/api/oauth/register`,
      revocation_endpoint: `${appUrl}/api/oauth/revoke`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      scopes_supported: expect.arrayContaining([...SCOPES.agent, ...SCOPES.all]),
      token_endpoint_auth_methods_supported: expect.arrayContaining(["none"]),
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it("[oauth.discovery.spellings] [oauth.discovery.openid] is the same in every spelling", async () => {
    const names = ["oauth-authorization-server", "authorization-server", "openid-configuration"];
    const [first, ...others] = await Promise.all(
      ["", "/api/oauth"].flatMap((base) => names.map((name) => documentAt(`${base}/.well-known/${name}`))),
    );
    for (const other of others) expect(other).toEqual(first);
    // What OpenID Connect asks for beyond that.
    expect(first?.body).toMatchObject({
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
  });

  it("[oauth.discovery.true] names no endpoint that is not there", async () => {
    const { body } = await documentAt("/.well-known/oauth-authorization-server");
    const endpoints = Object.entries(body).filter(([name]) => /_endpoint$|_uri$/.test(name));
    expect(endpoints.length).toBeGreaterThan(4);
    for (const [name, url] of endpoints) {
      const isRead = ["authorization_endpoint", "jwks_uri"].includes(name);
      const response = await fetch(String(url), isRead ? {} : { method: "POST" });
      expect(response.status, `${name}: ${url}`).not.toBe(404);
      expect(response.status, `${name}: ${url}`).toBeLessThan(500);
    }
  });

  it("publishes keys without their private part", async () => {
    const { body } = await documentAt("/api/oauth/jwks");
    const keys = body.keys as Record<string, unknown>[];
    expect(keys).toEqual([
      {
        kty: "EC",
        crv: "P-256",
        alg: "ES256",
        use: "sig",
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      },
    ]);
  });

  it("can be read by the page of a developer's tool, but not by any page", async () => {
    const address = "/.well-known/oauth-authorization-server";
    const inspector = "http://localhost:6274";
    const allowed = await server.request(address, { headers: { origin: inspector } });
    expect(allowed.headers.get("access-control-allow-origin")).toBe(inspector);
    const preflight = await server.request("/api/oauth/token", {
      method: "OPTIONS",
      headers: { origin: inspector, "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(inspector);
    const refused = await server.request("/api/oauth/token", {
      method: "POST",
      headers: { origin: inspector },
    });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("access-control-allow-origin")).toBe(inspector);
    const foreign = await server.request(address, { headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
  });
});
