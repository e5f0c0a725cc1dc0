import { describe, expect, it } from "vitest";
import { appUrlOf, Browser, newAccount, PASSWORD, signedInPerson } from "../support/oauth-client.ts";
import { serverOfFile } from "../support/server.ts";

/** The address of the server alone, as a browser and a program meet it; with the console, `console-calls.test.ts`. */

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });

const visitor = () => new Browser(appUrlOf(server));

describe("a stranger", () => {
  it("is led to sign in, and comes back", async () => {
    const answer = await visitor().send("/", { headers: { accept: "text/html" } });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?return_to=%2F"]);
    const { html, response } = await visitor().open("/");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'self';.*frame-ancestors 'none'/,
    );
    const loaded = [...html.matchAll(/(?:src|<link[^>]*href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    expect(loaded).toHaveLength(3);
    for (const path of loaded) expect((await server.request(path)).status, path).toBe(200);
  });

  it.each([undefined, "application/json", "*/*"])("that accepts %s is told in JSON", async (accept) => {
    const answer = await server.request("/", { headers: accept === undefined ? {} : { accept } });
    expect(answer.headers.get("vary")).toContain("accept");
    const address = `${appUrlOf(server)}/mcp`;
    expect(await answer.json()).toMatchObject({
      name: "kenning",
      version: expect.stringMatching(/^\d/),
      endpoints: { all: address, models: `${address}/{workspace}/mcp` },
    });
  });

  it("is shown the way home from a page that is not there; a program gets JSON", async () => {
    const { html, response } = await visitor().open("/no/<such>/page");
    expect(response.status).toBe(404);
    expect(html).toContain('<a href="/">');
    expect(html).not.toContain("<such>");
    const answer = await server.request("/no/such/page", { headers: { accept: "application/json" } });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: "not_found" }]);
  });
});

describe("somebody who signs in", () => {
  it("is told how to build the console where there is none, and can sign out", async () => {
    const email = await newAccount(server, "viewer");
    const person = visitor();
    const page = await person.signIn(email, PASSWORD, "/");
    expect(page.url.pathname).toBe("/");
    expect(page.html).toContain("<code>npm start</code> builds the console");
    expect(page.html).toContain(email);
    expect((await person.submit(page)).html).toContain("You are signed out");
    expect((await person.open("/")).url.pathname).toBe("/sign-in");
  });

  it("is told to ask for an invitation where no workspace is theirs", async () => {
    const { person, email } = await signedInPerson(server, "viewer");
    const { workspaces, membership, users } = server.app.identity;
    const { id: workspaceId } = await workspaces.bySlug("acme");
    const others = (await users.list({ workspace: "acme" })).filter((each) => each.email !== email);
    const [{ userId } = expect.fail("no members")] = others;
    await membership.remove({ workspaceId, email, by: { userId } });
    expect((await person.open("/")).html).toContain("Ask an admin to invite you");
  });

  it("is spoken to in German where the browser asks for it", async () => {
    const german = { headers: { accept: "text/html", "accept-language": "de-AT,de;q=0.9,en;q=0.5" } };
    const { person } = await signedInPerson(server, "viewer");
    const start = await (await person.send("/", german)).text();
    expect(start).toContain("Die Konsole ist nicht gebaut");
    for (const path of ["/sign-in", "/signed-out", "/no/such/page"]) {
      const html = await (await server.request(path, german)).text();
      expect(html, path).toContain('<html lang="de">');
      expect(html, path).not.toMatch(/Sign in|start page|There is nothing/);
    }
    const other = { headers: { accept: "text/html", "accept-language": "fr, en;q=0.9, de;q=0.1" } };
    expect(await (await server.request("/sign-in", other)).text()).toContain('<html lang="en">');
  });
});
