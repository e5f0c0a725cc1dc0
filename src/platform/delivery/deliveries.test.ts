import { createHash, createHmac, createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestCatalog, silentLog } from "../../../test/support/database.ts";
import { TEST_CERT, TEST_KEY } from "../../../test/support/web-servers.ts";
import { openFolderBlobs } from "../blobs/index.ts";
import { createGuardedFetch } from "../guarded-fetch/index.ts";
import { Jobs } from "../jobs/index.ts";
import { createVault } from "../vault/index.ts";
import { webhookEndpoints } from "./delivery.tables.ts";
import {
  Channels,
  Deliveries,
  MailChannel,
  type Message,
  oneLine,
  SlackChannel,
  TeamsChannel,
  Unsubscribing,
  WebhookChannel,
} from "./index.ts";
import { LIMITS } from "./limits.ts";
import { mailAddresses, type Recipient } from "./message.ts";

const catalog = await openTestCatalog();
const outbox = mkdtempSync(join(tmpdir(), "kenning-outbox-"));
/** Where a receiver of webhooks may be that is on this machine all the same. */
const ALLOWED = "127.0.0.2";
const fetch = createGuardedFetch({ allow: [ALLOWED] });
const jobs = new Jobs(catalog, silentLog);
const mails: { to: string[]; raw: string }[] = [];
let busy = 1;
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onRcptTo({ address }, _session, callback) {
    if (address.startsWith("nobody@"))
      return callback(Object.assign(new Error("no such user"), { responseCode: 550 }));
    if (address.startsWith("busy@") && busy-- > 0)
      return callback(Object.assign(new Error("come back later"), { responseCode: 450 }));
    callback();
  },
  onData(stream, session, callback) {
    let raw = "";
    stream.on("data", (chunk) => (raw += chunk));
    stream.on("end", () => {
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw });
      callback();
    });
  },
});
let deliveries: Deliveries;

beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  const mail = new MailChannel({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: "Kenning <kenning@example.com>",
    outbox,
    domains: ["example.com", "bücher.example"],
  });
  const vault = createVault({ root: "a-root-secret-of-at-least-32-characters" });
  const channels = new Channels(catalog, vault, fetch, Buffer.from("key"));
  const webhooks = new WebhookChannel({ fetch, channels });
  deliveries = new Deliveries({
    catalog,
    blobs: await openFolderBlobs({ folder: join(outbox, "blobs") }),
    jobs,
    mail,
    webhooks,
    slack: new SlackChannel({ fetch, apiUrl: "https://slack.com/api" }),
    teams: new TeamsChannel(fetch),
    channels,
    unsubscribing: new Unsubscribing(catalog, vault, "http://localhost"),
    log: silentLog,
  });
  await jobs.start();
});
afterAll(async () => {
  await jobs.stop();
  await deliveries.close();
  await fetch.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await catalog.close();
  rmSync(outbox, { recursive: true });
});

const MESSAGE: Message = {
  subject: "Größe: ünïcode 😀 & a rather long subject that has to be folded somewhere on its way",
  text: "Hello\n.\nthere",
  html: "<p>Hello</p>",
  attachments: [{ name: "rows.csv", mimeType: "text/csv", text: "a,b\r\n1,ü\r\n" }],
  event: { type: "alert.fired", data: { n: 1 } },
};

async function post(runKey: string, channel: "mail" | "webhook", ...targets: string[]) {
  const recipients = targets.map((target) => ({ channel, target }));
  const expiresAt = new Date(Date.now() + 86_400_000);
  await catalog.transaction((tx) =>
    deliveries.post(tx, { runKey, workspaceId: 1, message: MESSAGE, recipients, expiresAt }),
  );
  return deliveries.outcome(runKey, 60_000, new AbortController().signal);
}

/** Mail servers with a certificate for secure.test: TLS from the first byte, when it is asked for, or none. */
describe("a mail server", () => {
  const seen: { user: string | undefined; isSecure: boolean }[] = [];
  const servers: SMTPServer[] = [];
  const trusted = getCACertificates();
  const start = async (options: object) => {
    const server = new SMTPServer({
      key: TEST_KEY,
      cert: TEST_CERT,
      authOptional: true,
      allowInsecureAuth: true,
      logger: false,
      onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
      onData(stream, { secure, user }, callback) {
        seen.push({ user: user as string | undefined, isSecure: secure });
        stream.resume().on("end", callback);
      },
      ...options,
    });
    server.on("error", () => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  };
  const { attachments: _, ...bare } = MESSAGE;
  const send = async (smtpUrl: string) => {
    const mail = new MailChannel({ smtpUrl, from: "kenning@example.com", outbox });
    try {
      await mail.send("uid", "ann@example.com", { ...bare, files: [] });
      return seen.at(-1);
    } finally {
      await mail.close();
    }
  };
  const trust = () => setDefaultCACertificates([...trusted, TEST_CERT]);

  afterEach(async () => {
    setDefaultCACertificates(trusted);
    await Promise.all(servers.splice(0).map((server) => new Promise<void>((done) => server.close(done))));
  });

  it.each([
    ["from the first byte on", "smtps", { secure: true }],
    ["as soon as the server offers it", "smtp", {}],
  ])("is spoken to by TLS %s, and only when its certificate is trusted", async (_how, scheme, options) => {
    const url = `${scheme}://me:secret@${await start(options)}?tls.servername=secure.test`;
    await expect(send(url)).rejects.toThrow(
      /certificate of the mail server is not trusted: .*self-signed certificate.* NODE_EXTRA_CA_CERTS/,
    );
    trust();
    expect(await send(url)).toEqual({ user: "me", isSecure: true });
    await expect(send(url.replace("secure.test", "other.test"))).rejects.toThrow(
      /certificate of the mail server is not trusted: .*other\.test/,
    );
  });

  it("without TLS gets no password, unless the operator says so; mails without one go as ever", async () => {
    const address = await start({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
    await expect(send(`smtp://me:secret@${address}`)).rejects.toThrow(/offers no TLS/);
    expect(await send(`smtp://${address}`)).toEqual({ user: undefined, isSecure: false });
    expect(await send(`smtp://me:secret@${address}?requireTLS=false`)).toEqual({
      user: "me",
      isSecure: false,
    });
  });
});

describe("mail", () => {
  it("is one message a recipient, complete, with an id of its own", async () => {
    const sent = await post("one", "mail", "ann@example.com", "bob@example.com");
    expect(sent).toMatchObject([{ state: "sent" }, { state: "sent" }]);
    expect(mails.map(({ to }) => to).sort()).toEqual([["ann@example.com"], ["bob@example.com"]]);
    const mail = await PostalMime.parse(mails[0]?.raw ?? "");
    expect(mail).toMatchObject({
      subject: MESSAGE.subject,
      from: { name: "Kenning", address: "kenning@example.com" },
      text: expect.stringContaining("Hello"),
      attachments: [{ filename: "rows.csv" }],
    });
    expect(sent.map(({ uid }) => `<${uid}@example.com>`)).toContain(mail.messageId);
    const [attachment] = mail.attachments;
    expect(Buffer.from(attachment?.content as ArrayBuffer).toString()).toBe("a,b\r\n1,ü\r\n");
  });

  it("is posted once for one thing, and only if the transaction commits", async () => {
    const before = mails.length;
    await post("twice", "mail", "ann@example.com");
    await post("twice", "mail", "ann@example.com");
    expect(mails).toHaveLength(before + 1);
    const undone = catalog.transaction(async (tx) => {
      const recipients = [{ channel: "mail" as const, target: "ann@example.com" }];
      await deliveries.post(tx, {
        runKey: "undone",
        workspaceId: 1,
        message: MESSAGE,
        recipients,
        expiresAt: new Date(),
      });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await deliveries.outcome("undone", 0, new AbortController().signal)).toEqual([]);
  });

  it("that is refused for good is a dead letter at once; one that is refused for now is tried again", async () => {
    expect(await post("dead", "mail", "nobody@example.com")).toMatchObject([
      { state: "dead", tries: 1, lastError: expect.stringContaining("no such user") },
    ]);
    expect(await post("busy", "mail", "busy@example.com")).toMatchObject([
      { state: "waiting", tries: 1, lastError: expect.stringContaining("come back later") },
    ]);
    await expect
      .poll(async () => (await deliveries.outcome("busy", 0, new AbortController().signal))[0]?.state, {
        timeout: 60_000,
        interval: 250,
      })
      .toBe("sent");
  });

  it("goes to the domains that the operator allows, whatever was set before", async () => {
    expect(deliveries.addresses("a@Example.com, b@mail.example.com")).toHaveLength(2);
    for (const address of ["a@example.org", "a@notexample.com", "a@example.com.evil.test"]) {
      expect(() => deliveries.addresses(address)).toThrow(`Mails may not go to ${address}`);
      expect(await post(`to ${address}`, "mail", address)).toMatchObject([
        {
          state: "dead",
          lastError: expect.stringContaining("The operator of this server allows example.com"),
        },
      ]);
    }
  });

  it("goes to a folder where there is no mail server", async () => {
    const folder = join(outbox, "mails");
    const mail = new MailChannel({ smtpUrl: null, from: "kenning@localhost", outbox: folder });
    const { attachments: _, ...bare } = MESSAGE;
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await mail.send("uid-1", "ann@example.com", { ...bare, files: [] })).toEqual({
        note: "outbox/uid-1.eml",
      });
    }
    expect(readdirSync(folder)).toEqual(["uid-1.eml"]);
    const read = await PostalMime.parse(readFileSync(join(folder, "uid-1.eml")));
    expect(read).toMatchObject({ subject: MESSAGE.subject, to: [{ address: "ann@example.com" }] });
  });
});

describe("a signed mail", () => {
  it("is signed with what says how to unsubscribe, which stays on one line", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const folder = join(outbox, "signed");
    const dkim = {
      domain: "example.com",
      selector: "k1",
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
    const mail = new MailChannel({ smtpUrl: null, from: "kenning@example.com", outbox: folder, dkim });
    const { attachments: _, ...bare } = MESSAGE;
    const url = `https://kenning.example.com/unsubscribe/${"a".repeat(300)}`;
    await mail.send("uid-2", "ann@example.com", { ...bare, files: [] }, url);
    const raw = readFileSync(join(folder, "uid-2.eml"), "utf8").replace(/\r?\n/g, "\r\n");
    expect(raw).toContain(`List-Unsubscribe: <${url}>\r\n`);
    const [head = "", ...bodies] = raw.split("\r\n\r\n");
    const fields = head.replace(/\r\n(?=[ \t])/g, "\0").split("\r\n");
    const relaxed = (field: string) => {
      const [name = "", ...value] = field.replaceAll("\0", " ").split(":");
      return `${name.toLowerCase().trim()}:${value.join(":").replace(/\s+/g, " ").trim()}`;
    };
    const signature = fields.find((field) => field.startsWith("DKIM-Signature")) ?? "";
    const tags = new Map(
      relaxed(signature)
        .slice("dkim-signature:".length)
        .split(/; ?/)
        .map((tag) => tag.split(/=(.*)/s) as [string, string]),
    );
    expect(tags.get("d")).toBe("example.com");
    const signed = (tags.get("h") ?? "").split(":").map((name) => name.trim().toLowerCase());
    expect(signed).toEqual(expect.arrayContaining(["list-unsubscribe", "list-unsubscribe-post", "subject"]));
    const body = `${bodies
      .join("\r\n\r\n")
      .replace(/[ \t]+\r\n/g, "\r\n")
      .replace(/(\r\n)*$/, "")}\r\n`;
    expect(createHash("sha256").update(body).digest("base64")).toBe(tags.get("bh"));
    const bare2 = relaxed(signature).replace(/b=[^;]*$/, "b=");
    const text = [
      ...signed.map((name) =>
        relaxed(fields.find((field) => field.toLowerCase().startsWith(`${name}:`)) ?? ""),
      ),
      bare2,
    ].join("\r\n");
    const bytes = Buffer.from((tags.get("b") ?? "").replace(/\s/g, ""), "base64");
    expect(createVerify("sha256").update(text).verify(publicKey, bytes)).toBe(true);
  });
});

describe("headers", () => {
  it.each([
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com\nb@example.com",
    "Ann <a@example.com>",
    '"a\r\nBcc: b"@example.com',
    "a@example.com b@example.com",
    "a@exa mple.com",
    "a@-example.com",
    "@example.com",
    `${"a".repeat(250)}@example.com`,
  ])("take no address such as %j", (text) => {
    expect(() => mailAddresses(text)).toThrow(/no mail address/);
  });

  it("take lists of addresses, each once, and subjects of one line", () => {
    expect(mailAddresses("a@example.com, A@example.com;, jürgen@bücher.example")).toHaveLength(2);
    for (const subject of ["a\r\nBcc: b", "a\u2028b", "a\0b"])
      expect(() => oneLine(subject)).toThrow(/one line/);
    expect(oneLine("  Größe 😀 ")).toBe("Größe 😀");
  });
});

describe("a webhook", () => {
  it("has one secret, told once; an older one has what it had, and nobody is told it again", async () => {
    const { channels } = deliveries;
    const url = "https://hooks.example/new";
    const told = await Promise.all(Array.from({ length: 5 }, () => channels.newSecrets(7, [url])));
    const [secret] = told.flatMap((made) => made[url] ?? []);
    expect(told.filter((made) => url in made)).toHaveLength(1);
    expect(await channels.signingSecrets(7, url)).toEqual([secret]);
    expect(await channels.signingSecrets(8, url)).not.toEqual([secret]);
    const old = "https://hooks.example/old";
    await catalog.db.insert(webhookEndpoints).values({ workspaceId: 7, url: old });
    expect(await channels.newSecrets(7, [old])).toEqual({});
    const made = createHmac("sha256", Buffer.from("key")).update(`7\n${old}`).digest("base64");
    expect(await channels.signingSecrets(7, old)).toEqual([`whsec_${made}`]);
  });

  it("to an address of this machine is refused at once", async () => {
    expect(await post("inside", "webhook", "http://127.0.0.1:9/")).toMatchObject([
      { state: "dead", tries: 1 },
    ]);
  });

  it("that hangs takes its workspace's places and no others: its mails and others' webhooks go out", async () => {
    const hanging = new Set<ServerResponse>();
    const receiver = createServer((request, response) => {
      request.resume();
      if (request.url === "/other") response.end();
      else hanging.add(response);
    });
    await new Promise<void>((resolve) => receiver.listen(0, ALLOWED, resolve));
    const { port } = receiver.address() as AddressInfo;
    const targets = Array.from({ length: 40 }, (_, n) => `http://${ALLOWED}:${port}/${n}`);
    const expiresAt = new Date(Date.now() + 86_400_000);
    const send = (workspaceId: number, recipients: Recipient[], runKey = `w:${workspaceId}`) =>
      catalog.transaction((tx) =>
        deliveries.post(tx, {
          runKey,
          workspaceId,
          message: MESSAGE,
          recipients,
          expiresAt,
        }),
      );
    await send(
      1,
      targets.map((target) => ({ channel: "webhook", target })),
    );
    await expect.poll(() => hanging.size, { timeout: 30_000 }).toBe(LIMITS.delivery.perWorkspace);
    await send(2, [{ channel: "webhook", target: `http://${ALLOWED}:${port}/other` }]);
    await send(1, [{ channel: "mail", target: "same@example.com" }], "m:1");
    for (const runKey of ["w:2", "m:1"])
      expect(await deliveries.outcome(runKey, 30_000, new AbortController().signal)).toMatchObject([
        { state: "sent" },
      ]);
    // All of those that hung when these were posted still do, and no more than those have begun.
    expect(hanging.size).toBe(LIMITS.delivery.perWorkspace);
    for (const response of hanging) response.writeHead(410).end();
    receiver.on("request", (_request, response) => response.writeHead(410).end());
    await expect
      .poll(async () => (await deliveries.list(1, { state: "waiting", limit: 1, offset: 0 })).total, {
        timeout: 60_000,
      })
      .toBe(0);
    receiver.close();
  });
});
