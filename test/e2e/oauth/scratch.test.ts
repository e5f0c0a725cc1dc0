import { afterAll, beforeAll, it } from "vitest";
import { appUrlOf, Browser, OAuthClient, register, signedInPerson } from "../../support/oauth-client.ts";
import { callOf, PATHS } from "../../support/rpc.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
});
afterAll(() => server.stop());
const show = async (name: string, work: () => Promise<unknown>) => {
  try {
    console.log("##", name, JSON.stringify(await work(), null, 1));
  } catch (e) {
    console.log("##", name, "THREW", e);
  }
};
it("explores", async () => {
  const { person, email } = await signedInPerson(server);
  const client = new OAuthClient(server);
  await show("metadata", async () =>
    (await server.request("/.well-known/oauth-authorization-server")).json(),
  );
  await show("connect", () => client.connect(person));
  await show(
    "wrong verifier",
    async () => (await client.exchange(await client.code(person), { code_verifier: "x".repeat(43) })).body,
  );
  await show("no scope memory", async () =>
    client.connect(person, { scope: null, resource: `${appUrlOf(server)}/api/mcp/v1` }),
  );
  await show("unknown resource", async () =>
    String(await client.ask(person, { resource: `${appUrlOf(server)}/nope` })),
  );
  await show("resource slash both", async () => {
    const code = await client.code(person, { resource: `${appUrlOf(server)}/mcp/` });
    return (await client.exchange(code, { resource: `${appUrlOf(server)}/mcp/` })).body;
  });
  await show("resource slash authorize only", async () => {
    const code = await client.code(person, { resource: `${appUrlOf(server)}/mcp/` });
    return (await client.exchange(code, { resource: `${appUrlOf(server)}/mcp` })).body;
  });
  await show("two resources", async () => {
    const code = await client.code(person, {
      resource: [`${appUrlOf(server)}/mcp`, `${appUrlOf(server)}/api/mcp/v1`],
      scope: "memory:read",
    });
    return [(await client.exchange(code)).body];
  });
  await show("cursor reg", async () =>
    register(server, {
      redirect_uris: ["cursor://anysphere.cursor-retrieval/oauth/user-1/callback"],
      client_name: "Cursor",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    }),
  );
  await show("http reg", async () => register(server, { redirect_uris: ["http://example.com/cb"] }));
  await show("js reg native", async () =>
    register(server, { application_type: "native", redirect_uris: ["javascript:alert(1)"] }),
  );
  await show("1000 reg", async () => {
    const r = await register(server, {
      redirect_uris: Array.from({ length: 1000 }, (_, i) => `https://e.com/${i}`),
    });
    return [r.status, r.body.error];
  });
  await show("account switch", async () => {
    const b = new Browser(appUrlOf(server));
    const { email: e2 } = await signedInPerson(server);
    await b.signIn(email);
    await client.connect(b);
    b.plant("kenning_session", "x");
    const page = await b.open(client.authorizationUrl());
    const page2 = await b.submit(page, { email: e2, password: "correct horse battery" });
    return [page2.url, page2.response.status, page2.html.slice(0, 1500)];
  });
  await show("declined then step up", async () => {
    const { body: reg } = await register(server, {
      redirect_uris: ["https://app.example/cb"],
      client_name: "App",
      token_endpoint_auth_method: "none",
    });
    const c = new OAuthClient(server, { clientId: reg.client_id, redirectUri: "https://app.example/cb" });
    const one = await c.connect(person, {}, { scope: ["ontologies:read"] });
    const p = await person.open(c.authorizationUrl());
    return [one.scope, String(p.url), p.html.slice(0, 200)];
  });
  await show("code replay then again", async () => {
    const { body: reg } = await register(server, {
      redirect_uris: ["https://app.example/cb"],
      client_name: "App",
      token_endpoint_auth_method: "none",
    });
    const c = new OAuthClient(server, { clientId: reg.client_id, redirectUri: "https://app.example/cb" });
    const code = await c.code(person);
    const t = (await c.exchange(code)).body;
    const replay = await c.exchange(code);
    const call = await callOf(server, PATHS.all, "whoami", {}, { token: t.access_token });
    const p = await person.open(c.authorizationUrl());
    return [replay.body, call.status, String(p.url), p.html.slice(0, 100)];
  });
  await show("accept star wrong redirect", async () => {
    const r = await fetch(client.authorizationUrl({ redirect_uri: "https://evil.com/cb" }), {
      redirect: "manual",
    });
    return [r.status, await r.text()];
  });
  await show("accept star wrong redirect with session", async () => {
    const r = await person.send(client.authorizationUrl({ redirect_uri: "https://evil.com/cb" }), {
      headers: { accept: "*/*" },
    });
    return [r.status, await r.text()];
  });
  await show("revoke jwt", async () => {
    const t = await client.connect(person);
    const r = await client.revoke(t.access_token);
    return [r.status, await r.text()];
  });
  await show("revoke refresh", async () => {
    const t = await client.connect(person);
    const r = await client.revoke(t.refresh_token);
    return [
      r.status,
      await r.text(),
      (await client.refresh(t.refresh_token)).body,
      (await callOf(server, PATHS.all, "whoami", {}, { token: t.access_token })).status,
    ];
  });
  await show("revoke opaque", async () => {
    const t = await client.connect(person, { scope: "bi:read", resource: `${appUrlOf(server)}/api/2.0/mcp` });
    const before = (await callOf(server, PATHS.bi, "whoami", {}, { token: t.access_token })).status;
    const r = await client.revoke(t.access_token);
    return [
      t,
      before,
      r.status,
      (await callOf(server, PATHS.bi, "whoami", {}, { token: t.access_token })).status,
      (await client.refresh(t.refresh_token)).body,
    ];
  });
  await show("headers on handed", async () => {
    const r = await person.send(client.authorizationUrl());
    return [...r.headers];
  });
  await show("unknown scope", async () =>
    String((await person.open(client.authorizationUrl({ scope: "nonsense" }))).html),
  );
  await show("openid only", async () => {
    const p = await person.open(client.authorizationUrl({ scope: "openid" }));
    return [String(p.url), p.html];
  });
  await show("form_post", async () => {
    const p = await person.open(client.authorizationUrl({ response_mode: "form_post" }));
    const q = await person.submit(p, { button: "allow" });
    return [String(q.url), q.html];
  });
  await show("gone", async () => {
    const p = await person.open("/api/oauth/interaction/nope");
    return [p.response.status, p.html];
  });
  await show("csrf", async () => {
    const p = await person.open("/sign-out", { form: {} });
    return [p.response.status, p.html];
  });
});
