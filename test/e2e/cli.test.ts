import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandLine, type Ended } from "../support/command-line.ts";

let kenning: CommandLine;
let server: Awaited<ReturnType<CommandLine["serve"]>>;

/** Commands that find no database; they wait for it, beside the other tests. */
let withoutDatabase: Promise<{ list: Ended; doctor: Ended }>;

beforeAll(async () => {
  kenning = await CommandLine.open();
  server = await kenning.serve();
  withoutDatabase = runWithoutDatabase();
});
afterAll(async () => {
  server.child.kill();
  await server.stopped;
  kenning.remove();
});

/** In this process. What each family of commands does in one of its own, `runAlone` says. */
function run(line: string, options?: Parameters<CommandLine["call"]>[1]): Promise<Ended> {
  return kenning.call(line.split(" "), options);
}

function runAlone(line: string, options?: Parameters<CommandLine["run"]>[1]): Promise<Ended> {
  return kenning.run(line.split(" "), options);
}

/** `user list`, and `doctor` beside a stranger on the port. */
async function runWithoutDatabase(): Promise<{ list: Ended; doctor: Ended }> {
  const stranger = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const { port } = stranger.address() as AddressInfo;
  const env = { PORT: String(port), DATABASE_URL: "postgresql://ann:hunter2@127.0.0.1:1/x" };
  const [list, doctor] = await Promise.all([runAlone("user list", { env }), runAlone("doctor", { env })]);
  stranger.close();
  return { list, doctor };
}

async function expectRefusal(
  line: string,
  sentence: RegExp,
  env: Record<string, string> = {},
): Promise<void> {
  // A server that did start would not end by itself here.
  const { code, out, err } = await (line.startsWith("serve") ? runAlone : run)(line, { env });
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(sentence);
  expect(err.trim().split("\n")).toHaveLength(1);
}

function listTools(token: string): Promise<Response> {
  return fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
}

describe("the first start", () => {
  test("says where the server is and how to sign in, and keeps the password for its owner alone", () => {
    const { welcome } = server;
    expect(welcome).toContain(`is running at ${kenning.url}`);
    // Nobody watches this terminal, so that the text may end up in a log.
    const file = join(kenning.dataFolder, "admin-password.txt");
    expect(welcome).toContain(`Password    in ${file}, readable by you alone`);
    const password =
      /^Password\s+(\S{12,})$/m.exec(readFileSync(file, "utf8"))?.[1] ?? expect.fail("no password");
    expect(welcome).not.toContain(password);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("prints a configuration that can be pasted, and the command that makes its token", async () => {
    const { welcome } = server;
    const json = welcome.slice(welcome.indexOf("{"), welcome.lastIndexOf("}") + 1);
    const { kenning: entry } = (JSON.parse(json) as { mcpServers: { kenning: { url: string } } }).mcpServers;
    expect(entry.url).toBe(`${kenning.url}/mcp`);
    const command = /kenning (token create .*)$/m.exec(welcome)?.[1] ?? expect.fail("no command");
    const { out, err } = await runAlone(command);
    expect((await listTools(out.trim())).status).toBe(200);
    expect(err).toMatch(/good until \d{4}-\d\d-\d\d \(365 days; --expires sets another time\)/);
  });
});

describe("workspaces, people, tokens and clients", () => {
  test("a workspace is made and listed", async () => {
    expect(await kenning.call(["workspace", "create", "acme", "--name", "Acme Ltd"])).toMatchObject({
      code: 0,
      out: "",
    });
    expect((await runAlone("workspace list")).out).toMatch(
      /^SLUG +NAME +PLAN +CREATED\n(?:.*\n)*acme +Acme Ltd /m,
    );
    const listed = JSON.parse((await run("workspace list --json")).out) as { slug: string }[];
    expect(listed.map(({ slug }) => slug)).toEqual(expect.arrayContaining(["acme", "default"]));
    await expectRefusal("workspace create acme", /^kenning: .*acme/);
    await expectRefusal("workspace create Acme!", /^kenning: "Acme!" cannot be the slug/);
  });

  test("an account: made with a made-up password alone on stdout, or with one from stdin", async () => {
    const made = await runAlone("user create ann@acme.org --workspace acme --role contributor");
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^\S{12,}\n$/) });
    const input = "correct horse battery staple\n";
    expect(
      await runAlone("user create bob@acme.org --workspace acme --role viewer --password-stdin", { input }),
    ).toMatchObject({
      code: 0,
      out: "",
    });
    const short = await run("user create eve@acme.org --workspace acme --role viewer --password-stdin", {
      input: "short",
    });
    expect(short).toMatchObject({ code: 1, out: "", err: expect.stringContaining("at least 12 characters") });
    await expectRefusal("user create x@acme.org --workspace nowhere --role viewer", /nowhere/);
  });

  test("an account: role, lock and password are changed", async () => {
    const state = async () => {
      const members = JSON.parse((await run("user list --workspace acme --json")).out) as {
        email: string;
        role: string;
        disabled: boolean;
      }[];
      const { role, disabled } = members.find(({ email }) => email === "bob@acme.org") ?? expect.fail();
      return { role, disabled };
    };
    expect(await run("user set-role bob@acme.org --workspace acme --role admin")).toMatchObject({ code: 0 });
    expect(await run("user disable bob@acme.org")).toMatchObject({ code: 0 });
    expect(await state()).toEqual({ role: "admin", disabled: true });
    expect(await run("user enable bob@acme.org")).toMatchObject({ code: 0 });
    expect(await state()).toEqual({ role: "admin", disabled: false });
    expect(await run("user set-password bob@acme.org")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\S+\n$/),
    });
    await expectRefusal("user disable nobody@acme.org", /nobody@acme\.org/);
  });

  test("what policies ask of a member: attributes and groups", async () => {
    const attributes = async () => {
      const { out } = await run("user list --workspace acme --json");
      const members = JSON.parse(out) as { email: string; attributes: object }[];
      return members.find(({ email }) => email === "bob@acme.org")?.attributes;
    };
    const set = "user set-attribute bob@acme.org region --workspace acme";
    expect(await run(`${set} --value West`)).toMatchObject({ code: 0 });
    expect(await attributes()).toEqual({ region: "West" });
    await expectRefusal(set, /either what the attribute is, with --value, or --remove/);
    expect(await run(`${set} --remove`)).toMatchObject({ code: 0 });
    expect(await attributes()).toEqual({});

    expect(await run("group create sales --workspace acme")).toMatchObject({ code: 0 });
    expect(await run("group add sales bob@acme.org --workspace acme")).toMatchObject({ code: 0 });
    await expectRefusal("group add sales eve@other.org --workspace acme", /is not a member/);
    expect(JSON.parse((await run("group list --workspace acme --json")).out)).toMatchObject([
      { id: expect.any(Number), name: "sales", members: ["bob@acme.org"] },
    ]);
    expect(await run("group remove sales bob@acme.org --workspace acme")).toMatchObject({ code: 0 });
    expect((await runAlone("group list --workspace acme")).out).toMatch(/sales +-$/m);
  });

  test("a token is printed alone, works at once, and stops when it is revoked", async () => {
    const { out } = await runAlone(
      "token create --user ann@acme.org --workspace acme --kind api --name ci --expires 90d --read-only",
    );
    expect(out).toMatch(/^\S+\n$/);
    const token = out.trim();
    expect((await listTools(token)).status).toBe(200);
    const tokens = JSON.parse((await run("token list --user ann@acme.org --json")).out) as {
      id: number;
      name: string;
    }[];
    expect(JSON.stringify(tokens)).not.toContain(token);
    const { id } = tokens.find(({ name }) => name === "ci") ?? expect.fail();
    expect((await run("token list")).out).toMatch(/ci +ann@acme\.org +acme +read-only/);
    expect(await run(`token revoke ${id}`)).toMatchObject({ code: 0 });
    await expect.poll(async () => (await listTools(token)).status, { timeout: 30_000 }).toBe(401);
    expect((await run("token list --all")).out).toMatch(/revoked/);
  });

  test("a token's limits are checked", async () => {
    const create = "token create --user ann@acme.org --workspace acme --kind mcp";
    await expectRefusal(`${create} --scopes memory:fly`, /Unknown scope: "memory:fly"/);
    await expectRefusal(`${create} --toolsets dance`, /Unknown toolset: "dance"/);
    await expectRefusal(`${create} --expires 1d`, /30 days to 1 year/);
  });

  test("a client's id and secret are good for a login", async () => {
    const { out } = await run("client create --user ann@acme.org --workspace acme --json");
    const { clientId, clientSecret } = JSON.parse(out) as { clientId: string; clientSecret: string };
    const plain = await runAlone("client create --user ann@acme.org --workspace acme");
    expect(plain.out).toMatch(/^clientId: \S+\nclientSecret: \S+\n$/);
    const login = await fetch(`${kenning.url}/api/2.0/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ clientId, clientSecret }),
    });
    expect(login.status).toBe(200);
  });
});

describe("settings", () => {
  test("a wrong one stops a command with one sentence that names it", async () => {
    await expectRefusal("user list", /^kenning: PORT is "x", but must be a whole number/, { PORT: "x" });
    await expectRefusal(
      "serve",
      /^kenning: KENNING_HOMME is not a setting of Kenning; did you mean KENNING_HOME\?/,
      {
        KENNING_HOMME: "/tmp",
      },
    );
    await expectRefusal("serve", /^kenning: JWT_SECRET .* at least 32 characters/, { JWT_SECRET: "short" });
  });

  test("a database that is not there is said without its password", async () => {
    const { code, err } = (await withoutDatabase).list;
    expect(code).toBe(1);
    expect(err).toMatch(/127\.0\.0\.1.*nothing listens there/);
    expect(err).not.toContain("hunter2");
  });

  test("a data folder that cannot be one is said before anything is tried", async () => {
    const file = join(kenning.home, "not-a-folder");
    writeFileSync(file, "");
    await expectRefusal("user list", /not-a-folder is not a folder/, { KENNING_HOME: file });
    await expectRefusal("serve", /not-a-folder is not a folder/, { KENNING_HOME: join(file, "below") });
    // Node would try for ever to make a folder there.
    await expectRefusal("user list", /No folder can be made in \/proc/, { KENNING_HOME: "/proc/kenning" });
  });
});

test.each([
  "token create --user a@b.c --workspace w --kind api",
  "token revoke 1",
  "user create a@b.c --workspace w --role viewer",
  "user disable a@b.c",
  "client create --user a@b.c --workspace w",
  "group create g --workspace w",
])("%s says that there is no home, and makes none", async (command) => {
  const home = join(kenning.home, "nowhere");
  await expectRefusal(command, /There is no database in .*nowhere yet\..*KENNING_HOME/, {
    KENNING_HOME: home,
  });
  expect(existsSync(home)).toBe(false);
});

describe("doctor", () => {
  test("finds a running server in good health", async () => {
    const { code, out } = await runAlone("doctor --json");
    const findings = JSON.parse(out) as { name: string; status: string; message: string }[];
    expect(findings.filter(({ status }) => status === "fail")).toEqual([]);
    expect(code).toBe(0);
    const by = Object.fromEntries(findings.map(({ name, message }) => [name, message]));
    expect(by.port).toMatch(/^Kenning \d.* is running on port/);
    expect(by.database).toMatch(/^Embedded PostgreSQL 18\.\d+ running, used by 1 other process/);
    expect(by.memory).toMatch(/^The running server and its \d+ child processes use \d+ MiB/);
    expect(by.migrations).toMatch(/^All \d+ migrations are applied/);
  });

  test("finds what is wrong, says what to do, and ends with code 1", async () => {
    const { code, out } = (await withoutDatabase).doctor;
    expect(code).toBe(1);
    expect(out).toMatch(/^fail {2}port +Something other than Kenning.*\n +-> Stop it/m);
    expect(out).toMatch(/^fail {2}database +Kenning cannot use .*nothing listens there/m);
    expect(out).not.toContain("hunter2");
  });

  test("makes nothing on a machine where Kenning has never run", async () => {
    const home = join(kenning.home, "never");
    const { code, out } = await run("doctor", { env: { KENNING_HOME: home, PORT: "0" } });
    expect(out).toMatch(/ok +folder +.*never is made at the first start/);
    expect(code).toBe(0);
    expect(statSync(home, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("serve", () => {
  test("a second server on the same port says so", async () => {
    await expectRefusal(
      "serve --no-demo",
      new RegExp(`^kenning: Port ${kenning.port} on 127.0.0.1 is taken`),
    );
  });

  test("stops by SIGTERM with code 0; commands work without it, and the next start knows everybody", async () => {
    server.child.kill("SIGTERM");
    expect(await server.stopped).toMatchObject({
      code: 0,
      err: expect.stringContaining("Kenning has stopped."),
    });
    expect((await runAlone("user list")).out).toContain("ann@acme.org");
    server = await kenning.serve();
    expect(server.welcome).toContain("Sign in as before");
    expect(server.welcome).not.toMatch(/^Password/m);
  });

  test("a changed first password leaves no file behind that names the old one", async () => {
    const file = join(kenning.dataFolder, "admin-password.txt");
    expect(await run("user set-password admin@localhost")).toMatchObject({ code: 0 });
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });
});
