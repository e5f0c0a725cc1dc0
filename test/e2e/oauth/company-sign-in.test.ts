import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/command-line.ts";
import { startIdentityProvider, startLyingProvider } from "../../support/identity-provider.ts";
import { Browser, newAccount, PASSWORD, type Page } from "../../support/oauth-client.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

/** Sign-in by identity providers of a company: a certified one, and one that says anything at all. */

const ACME = "acme.example";
const PEOPLE = {
  ada: { email: `ada@${ACME}`, email_verified: true, name: "Ada", groups: ["analysts"], region: "North" },
  bob: { email: `Bob@${ACME}`, email_verified: true, name: "Bob", groups: ["analysts", "chiefs"] },
  eve: { email: `eve@${ACME}`, email_verified: false, name: "Eve" },
  max: { email: "max@elsewhere.example", email_verified: true, name: "Max" },
  ida: { email: `ida@${ACME}`, email_verified: true, name: "Ida" },
  new: { email: `old@${ACME}`, email_verified: true, name: "Somebody else" },
};

let folder: string;
let server: TestServer;
let strict: TestServer;
let appUrl: string;
let company: Awaited<ReturnType<typeof startIdentityProvider>>;
let liar: Awaited<ReturnType<typeof startLyingProvider>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kenning-sign-in-"));
  const port = await freePort();
  appUrl = `http://localhost:${port}`;
  company = await startIdentityProvider(appUrl, PEOPLE);
  liar = await startLyingProvider({ email: `liar@${ACME}`, email_verified: true });
  const file = join(folder, "sign-in.yaml");
  writeFileSync(join(folder, "liars-secret"), `${liar.clientSecret}\n`);
  writeFileSync(
    file,
    `providers:
  - id: company
    name: Acme
    issuer: ${company.issuer}
    client_id: ${company.clientId}
    client_secret: ${company.clientSecret}
    domains: [${ACME}]
    join: { workspace: acme, role: viewer }
    groups_claim: groups
    roles: { chiefs: contributor }
    attributes: { region: region }
  - id: liar
    name: Liar
    issuer: ${liar.issuer}
    client_id: ${liar.clientId}
    client_secret_file: liars-secret
    domains: [${ACME}]
    join: { workspace: acme }
    groups_claim: groups
  - id: invited
    name: Only invited
    issuer: ${company.issuer}
    client_id: nobody
    client_secret: nothing
    domains: [${ACME}]
`,
  );
  const env = { KENNING_SIGN_IN_FILE: file, RATE_LIMIT_ENABLED: "false" };
  server = await startTestServer({ env: { ...env, PORT: String(port), APP_URL: appUrl } });
  strict = await startTestServer({ env: { ...env, KENNING_PASSWORD_SIGN_IN: "false" } });
});

afterAll(async () => {
  await Promise.all([server?.stop(), strict?.stop(), company?.close(), liar?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** To the provider and back, as far as our own pages go; `meddle` changes the address that brings the code. */
async function signIn(
  browser: Browser,
  provider = "company",
  meddle: (url: URL) => void = () => undefined,
): Promise<Page> {
  const start = await browser.open(`/api/auth/${provider}?return_to=%2Fapi%2Fconsole%2Fme`);
  if (start.url.origin === new URL(appUrl).origin) return start;
  const there = new Browser(start.url.origin);
  const back = (await there.open(start.url)).url;
  meddle(back);
  return browser.open(back);
}

async function signInAs(subject: keyof typeof PEOPLE, browser = new Browser(appUrl)): Promise<Page> {
  company.signsIn(subject);
  return signIn(browser);
}

const membersOfAcme = async () => {
  const members = await server.app.identity.users.list({ workspace: "acme" });
  return new Map(members.map((member) => [member.email, member]));
};

const groupsOf = async (email: string) => {
  const groups = await server.app.identity.groups.list("acme");
  return groups.filter(({ members }) => members.includes(email)).map(({ name }) => name);
};

describe("a certified provider", () => {
  it("stands on the sign-in page beside the password", async () => {
    const { html } = await new Browser(appUrl).open("/sign-in?return_to=%2Fw%2Facme");
    expect(html).toContain(`href="/api/auth/company?return_to=%2Fw%2Facme"`);
    expect(html).toContain("Continue with Acme");
    expect(html).toContain('type="password"');
  });

  it("makes a member of whoever it vouches for, with groups, role and attributes of today", async () => {
    const first = await signInAs("ada");
    expect(first.url.pathname).toBe("/api/console/me");
    expect(JSON.parse(first.html)).toMatchObject({
      email: `ada@${ACME}`,
      name: "Ada",
      workspaces: [{ workspace: "acme", role: "viewer" }],
    });
    expect((await membersOfAcme()).get(`ada@${ACME}`)?.attributes).toEqual({ region: "North" });
    expect(await groupsOf(`ada@${ACME}`)).toEqual(["analysts"]);

    const { groups } = PEOPLE.ada;
    PEOPLE.ada.groups = ["chiefs"];
    Object.assign(PEOPLE.ada, { email: `ada.new@${ACME}`, region: undefined });
    const again = JSON.parse((await signInAs("ada")).html) as { email: string; workspaces: object[] };
    expect(again).toMatchObject({ email: `ada@${ACME}`, workspaces: [{ role: "contributor" }] });
    expect(await groupsOf(`ada@${ACME}`)).toEqual(["chiefs"]);
    expect((await membersOfAcme()).get(`ada@${ACME}`)?.attributes).toEqual({});

    PEOPLE.ada.groups = groups;
    await signInAs("ada");
    expect((await membersOfAcme()).get(`ada@${ACME}`)?.role).toBe("viewer");
  });

  it("finds the account of an address, and the password stays good beside it", async () => {
    const { identity } = server.app;
    await identity.users.create({
      email: `bob@${ACME}`,
      workspace: "acme",
      role: "viewer",
      password: PASSWORD,
    });
    expect(JSON.parse((await signInAs("bob")).html)).toMatchObject({ email: `bob@${ACME}` });
    expect((await membersOfAcme()).get(`bob@${ACME}`)?.role).toBe("contributor");
    const page = await new Browser(appUrl).signIn(`bob@${ACME}`, PASSWORD, "/api/console/me");
    expect(page.response.status).toBe(200);
  });

  it("never takes the last admin's role away", async () => {
    const { identity } = server.app;
    await identity.users.create({
      email: `ida@${ACME}`,
      workspace: "acme",
      role: "admin",
      password: PASSWORD,
    });
    for (const member of (await membersOfAcme()).values())
      if (member.role === "admin" && member.email !== `ida@${ACME}`)
        await identity.users.disable(member.email);
    expect((await signInAs("ida")).response.status).toBe(200);
    expect((await membersOfAcme()).get(`ida@${ACME}`)?.role).toBe("admin");
  });

  it("refuses an address that it has not verified, or does not speak for, with a sentence", async () => {
    for (const subject of ["eve", "max"] as const) {
      const page = await signInAs(subject);
      expect(page.response.status).toBe(403);
      expect(page.html).toContain("vouches for no e-mail address that is welcome here");
    }
    const known = await membersOfAcme();
    expect([known.has(`eve@${ACME}`), known.has("max@elsewhere.example")]).toEqual([false, false]);
  });

  it("opens no account that was switched off, not even by its old subject", async () => {
    expect((await signInAs("new")).response.status).toBe(200);
    await server.app.identity.users.disable(`old@${ACME}`);
    const page = await signInAs("new");
    expect([page.response.status, page.html.includes("switched off")]).toEqual([403, true]);
  });

  it("lets nobody into an account whose address was given to them later, until the operator does", async () => {
    Object.assign(PEOPLE.max, { email: `bob@${ACME}` });
    const page = await signInAs("max");
    expect([page.response.status, page.html.includes("somebody else of your company uses")]).toEqual([
      403,
      true,
    ]);
    expect(await server.app.identity.federation.unlink(`bob@${ACME}`)).toBe(1);
    expect((await signInAs("max")).response.status).toBe(200);
    await server.app.identity.federation.unlink(`bob@${ACME}`);
    Object.assign(PEOPLE.max, { email: "max@elsewhere.example" });
  });

  it("leaves traces in the audit log, of refusals too", async () => {
    await server.app.identity.audit.flush();
    const { events } = await server.app.identity.audit.list(null, { action: "auth.sign_in", limit: 100 });
    const byCompany = events.filter(({ metadata }) => metadata.provider === "company");
    expect(new Set(byCompany.map(({ success }) => success))).toEqual(new Set([true, false]));
  });

  it("is asked to end its own session, too, after ours has ended", async () => {
    const browser = new Browser(appUrl);
    await signInAs("bob", browser);
    const home = await browser.open("/sign-in");
    const out = await browser.submit(home);
    expect(out.html).toContain('href="/api/auth/company/sign-out"');
    const there = await browser.send("/api/auth/company/sign-out");
    const url = new URL(there.headers.get("location") ?? "");
    expect(url.origin).toBe(company.issuer);
    expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${appUrl}/signed-out`);
    expect((await browser.send("/api/console/me")).status).toBe(401);
  });
});

describe("an invitation", () => {
  it("is taken by whoever the provider vouches for, without its link", async () => {
    const { identity } = server.app;
    const { id } = await identity.workspaces.create({ slug: "other", name: "Other" });
    const email = "boss@example.com";
    const { member } = await identity.users.create({ email, workspace: "other", role: "admin" });
    const by = { userId: member.userId };
    await identity.membership.set({
      workspaceId: id,
      email: `bob@${ACME}`,
      role: "contributor",
      by,
    });
    await signInAs("bob");
    const bob = (await identity.users.list({ workspace: "other" })).find(
      ({ email }) => email === `bob@${ACME}`,
    );
    expect(bob?.role).toBe("contributor");
  });
});

describe("what does not fit", () => {
  const refused = async (page: Promise<Page>) => {
    const { response, url } = await page;
    expect(url.pathname).toBe("/api/auth/liar/callback");
    return response.status;
  };

  it.each<[string, JWTPayload]>([
    ["another issuer", { iss: "http://127.0.0.1:1" }],
    ["another audience", { aud: "somebody-else" }],
    ["another nonce", { nonce: "planted" }],
    ["no nonce", { nonce: undefined as unknown as string }],
    ["a token that has expired", { exp: 1_000_000 }],
    ["a token of the future", { nbf: 4_000_000_000 }],
    ["no subject", { sub: undefined as unknown as string }],
    ["an address that is not verified", { email_verified: false }],
    ["an empty subject", { sub: "" }],
    ["a subject with a NUL", { sub: "liar\u0000" }],
    ["an address that folds to another", { email: `\u212Aate@${ACME}` }],
    ["more groups than are taken", { groups: Array.from({ length: 201 }, (_, i) => `g${i}`) }],
    ["no address", { email: undefined }],
    ["an address with more in it", { email: `x@evil.example,liar@${ACME}` }],
  ])("%s is refused", async (_, claims) => {
    liar.lie({ claims });
    expect(await refused(signIn(new Browser(appUrl), "liar"))).toBe(403);
  });

  it("a signature of a foreign key, and a provider that fails, are refused", async () => {
    liar.lie({ foreignKey: true });
    expect(await refused(signIn(new Browser(appUrl), "liar"))).toBe(403);
    liar.lie({ status: 500 });
    expect(await refused(signIn(new Browser(appUrl), "liar"))).toBe(403);
  });

  it("another state, a code that was brought twice, and a trip of another browser are refused", async () => {
    liar.lie({});
    const other = (url: URL) => url.searchParams.set("state", "planted");
    expect(await refused(signIn(new Browser(appUrl), "liar", other))).toBe(403);
    const browser = new Browser(appUrl);
    const brought: string[] = [];
    const page = await signIn(browser, "liar", ({ href }) => void brought.push(href));
    expect(page.response.status).toBe(200);
    for (const again of [browser, new Browser(appUrl)])
      expect((await again.open(brought[0] ?? "")).response.status).toBe(410);
  });

  it("a trip that began to one provider does not end at another", async () => {
    company.signsIn("bob");
    const mixUp = (url: URL) => {
      url.pathname = "/api/auth/liar/callback";
    };
    expect((await signIn(new Browser(appUrl), "company", mixUp)).response.status).toBe(410);
  });

  it("a forged trip is none, whatever it says", async () => {
    const browser = new Browser(appUrl);
    await browser.send("/api/auth/liar");
    const [text = ""] = (browser.cookie("kenning_trip") ?? "").split(".");
    browser.plant("kenning_trip", `${text}.${"A".repeat(43)}`);
    expect((await browser.open("/api/auth/liar/callback?code=x&state=y")).response.status).toBe(410);
  });

  it("nobody is led to a stranger's page afterwards", async () => {
    const browser = new Browser(appUrl);
    liar.lie({});
    const start = await browser.open("/api/auth/liar?return_to=https%3A%2F%2Fevil.example%2F");
    const back = (await new Browser(start.url.origin).open(start.url)).url;
    expect((await browser.send(back)).headers.get("location")).toBe("/sign-in");
  });

  it("what the person was refused there is said, and there is no provider that is not named", async () => {
    const denied = (url: URL) => {
      url.searchParams.delete("code");
      url.searchParams.set("error", "access_denied");
    };
    const page = await signIn(new Browser(appUrl), "liar", denied);
    expect([page.response.status, page.html.includes("did not let you in")]).toEqual([403, true]);
    expect((await new Browser(appUrl).open("/api/auth/nobody")).response.status).toBe(404);
  });
});

describe("signing out at the provider", () => {
  it("ends the sessions here, for a token that proves it alone", async () => {
    liar.lie({});
    const browser = new Browser(appUrl);
    await signIn(browser, "liar");
    const send = async (claims: JWTPayload) => {
      const body = new URLSearchParams({ logout_token: await liar.logoutToken(claims) });
      return (await fetch(`${appUrl}/api/auth/liar/backchannel-logout`, { method: "POST", body })).status;
    };
    for (const wrong of [{ aud: "x" }, { sub: "liar", nonce: "n" }, { sub: "liar", events: {} }, {}])
      expect(await send(wrong)).toBe(400);
    expect((await browser.send("/api/console/me")).status).toBe(200);
    expect(await send({ sub: "liar" })).toBe(200);
    expect((await browser.send("/api/console/me")).status).toBe(401);
  });
});

describe("without passwords", () => {
  it("the page has no form, and no door takes one", async () => {
    const url = strict.url.replace("127.0.0.1", "localhost");
    const email = await newAccount(strict);
    const browser = new Browser(url);
    const { html } = await browser.open("/sign-in");
    expect([html.includes("Continue with Acme"), html.includes("<form")]).toEqual([true, false]);
    await expect(
      strict.app.identity.users.signIn(email, PASSWORD, { address: "::1", requestId: "r" }),
    ).rejects.toThrow("Nobody signs in with a password here.");
  });
});
