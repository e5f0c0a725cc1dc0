import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { appUrlOf, Browser, newAccount, PASSWORD } from "../../../../test/support/oauth-client.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
await server.app.identity.workspaces.create({ slug: "globex", name: "Globex" });
const workspaceId = (await server.app.identity.workspaces.bySlug("acme")).id;
const admin = await server.token({ email: await newAccount(server) });

interface Result {
  status: string;
  member?: { email: string; role: string; groups: string[]; attributes: Record<string, string> };
  invitation?: { email: string; role: string; groups: string[]; link: string };
}

async function set(args: Record<string, unknown>, token = admin): Promise<Result> {
  const { result, error } = await callTool(server, token, "set_member", args);
  if (result?.isError === false) return result.structuredContent as never;
  throw new Error(result?.content[0]?.text ?? error?.message);
}

/** As whoever gets the link opens it: the page, then its form. */
async function accept({ invitation }: Result, person: Browser, fields: Record<string, string> = {}) {
  const { pathname } = new URL(invitation?.link ?? "");
  const page = await person.open(pathname);
  expect(page.html).toContain(invitation?.email);
  return person.submit(page, fields);
}

async function membersOf(workspace: string) {
  return (await server.app.identity.users.list({ workspace })).map(({ email, role }) => `${email} ${role}`);
}

let last = 0;
const newAddress = () => `newcomer-${++last}@elsewhere.test`;
const visitor = () => new Browser(appUrlOf(server));

describe("an invitation", () => {
  it("lets somebody new make an account, with what they were invited as", async () => {
    const email = newAddress();
    const invited = await set({
      email,
      role: "contributor",
      groups: ["sales"],
      attributes: { region: "DE" },
    });
    expect(invited).toMatchObject({
      status: "invited",
      invitation: { email, role: "contributor", groups: ["sales"] },
    });
    expect(await membersOf("acme")).not.toContain(`${email} contributor`);
    const person = visitor();
    const { html } = await accept(invited, person, { name: "Nina New", password: PASSWORD });
    expect(html).toContain(email);
    const { members, invitations } = await server.app.identity.membership.list(workspaceId);
    expect(members).toContainEqual(
      expect.objectContaining({
        email,
        name: "Nina New",
        role: "contributor",
        groups: ["sales"],
        attributes: { region: "DE" },
      }),
    );
    expect(invitations).not.toContainEqual(expect.objectContaining({ email }));
    const again = await visitor().open(new URL(invited.invitation?.link ?? "").pathname);
    expect([again.response.status, again.html]).toEqual([410, expect.stringContaining("used, taken back")]);
  });

  it("says nothing of accounts elsewhere, and never touches them", async () => {
    const email = newAddress();
    await server.app.identity.users.create({
      email,
      workspace: "globex",
      role: "viewer",
      password: PASSWORD,
    });
    const [known, unknown] = [await set({ email }), await set({ email: newAddress() })];
    expect(Object.keys(known.invitation ?? {})).toEqual(Object.keys(unknown.invitation ?? {}));
    expect(await membersOf("acme")).not.toContain(`${email} viewer`);
    const wrong = await accept(known, visitor(), { name: "x", password: "not their password" });
    expect([wrong.response.status, wrong.html]).toEqual([403, expect.stringContaining("do not fit")]);
    const right = await accept(known, visitor(), { name: "Another Name", password: PASSWORD });
    expect(right.response.status).toBe(200);
    const [inAcme] = (await server.app.identity.users.list()).filter((each) => each.email === email);
    expect(inAcme).toMatchObject({ name: email.split("@")[0], workspace: "acme" });
  });

  it("is taken by whoever is signed in with the address, and by nobody else", async () => {
    const email = newAddress();
    await server.app.identity.users.create({
      email,
      workspace: "globex",
      role: "viewer",
      password: PASSWORD,
    });
    const invited = await set({ email });
    const { pathname } = new URL(invited.invitation?.link ?? "");
    const other = visitor();
    await other.signIn(await newAccount(server, "viewer"));
    const page = await other.open(pathname);
    expect(page.html).toContain('name="password"');
    const tried = await other.submit({ ...page, html: page.html.replace(/<input id="password"[^>]*>/, "") });
    expect(tried.response.status).toBe(403);
    const person = visitor();
    await person.signIn(email);
    await accept(invited, person);
    expect(await membersOf("acme")).toContain(`${email} viewer`);
  });

  it("is good for one link only, and can be taken back", async () => {
    const email = newAddress();
    const first = await set({ email });
    const second = await set({ email, role: "contributor" });
    const statusOf = async ({ invitation }: Result) =>
      (await visitor().open(new URL(invitation?.link ?? "").pathname)).response.status;
    expect([await statusOf(first), await statusOf(second)]).toEqual([410, 200]);
    await callTool(server, admin, "remove_member", { email });
    expect(await statusOf(second)).toBe(410);
  });

  it.each([
    [{ groups: ["good", "\u0000"] }, /readable text/],
    [{ groups: ["good", "evil\u202e"] }, /nobody sees/],
    [{ attributes: { "\u202e": "x" } }, /nobody sees/],
    [{ attributes: { region: "x".repeat(501) } }, /attribute is a text/],
    [{ email: "no address" }, /not an e-mail/],
  ])("with %j leaves nothing behind", async (wish, message) => {
    const email = newAddress();
    await expect(set({ email, ...wish })).rejects.toThrow(message);
    const { result } = await callTool(server, admin, "list_members");
    expect(JSON.stringify(result?.structuredContent)).not.toContain(email);
    expect(JSON.stringify(result)).not.toContain("good");
  });
});

describe("a member", () => {
  it("is changed where it is said, all of it or nothing", async () => {
    const email = await newAccount(server, "viewer");
    await set({ email, groups: ["a", "b"], attributes: { region: "DE", team: "x" } });
    const { member } = await set({ email, role: "contributor", attributes: { team: null } });
    expect(member).toMatchObject({ role: "contributor", groups: ["a", "b"], attributes: { region: "DE" } });
    await expect(set({ email, role: "admin", groups: ["\u0000"] })).rejects.toThrow(/readable text/);
    expect(await set({ email, groups: ["c"] })).toMatchObject({
      member: { role: "contributor", groups: ["c"] },
    });
    await server.app.identity.audit.flush();
    const { result } = await callTool(server, admin, "list_audit_events", { action: "member.changed" });
    expect(JSON.stringify(result?.structuredContent)).toContain(email);
  });

  it("does not change their own role, and a workspace keeps an admin", async () => {
    const boss = "boss@globex.test";
    await server.app.identity.users.create({
      email: boss,
      workspace: "globex",
      role: "admin",
      password: PASSWORD,
    });
    const theirs = await server.token({ email: boss, workspace: "globex" });
    await expect(set({ email: boss, role: "viewer" }, theirs)).rejects.toThrow(/their own role/);
    const second = "second@globex.test";
    await server.app.identity.users.create({
      email: second,
      workspace: "globex",
      role: "admin",
      password: PASSWORD,
    });
    await server.app.identity.users.disable(boss);
    const seconds = await server.token({ email: second, workspace: "globex" });
    await expect(set({ email: second, role: "viewer" }, seconds)).rejects.toThrow(/their own role/);
    expect(await set({ email: boss, role: "viewer" }, seconds)).toMatchObject({ member: { role: "viewer" } });
    expect(await membersOf("globex")).toContain(`${second} admin`);
  });

  it.each(["viewer", "contributor"] as const)("as a %s changes nobody", async (role) => {
    const token = await server.token({ role });
    await expect(set({ email: newAddress(), role: "admin" }, token)).rejects.toThrow(
      /Insufficient permissions/,
    );
  });

  it("of another workspace is not reached", async () => {
    const email = newAddress();
    await server.app.identity.users.create({
      email,
      workspace: "globex",
      role: "viewer",
      password: PASSWORD,
    });
    expect(await set({ email, role: "admin" })).toMatchObject({ status: "invited" });
    expect(await membersOf("globex")).toContain(`${email} viewer`);
  });
});
