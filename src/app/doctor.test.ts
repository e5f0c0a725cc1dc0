import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { needsRoot } from "../../test/support/availability.ts";
import { loadConfig } from "./config.ts";
import { sizeText } from "./doctor/check.ts";
import { sharedAccount } from "./doctor/database.ts";
import { checkHome, checkRootSecret } from "./doctor/home.ts";
import { checkClock, checkDisk, checkNode, checkPackages } from "./doctor/machine.ts";
import { listenersOn } from "./doctor/server.ts";
import { examine } from "./doctor.ts";
import { rootSecret } from "./home/root-secret.ts";

const top = mkdtempSync(join(tmpdir(), "kenning-doctor-"));
afterAll(() => rmSync(top, { recursive: true }));

let home: string;
beforeEach(() => {
  chmodSync(top, 0o711);
  home = mkdtempSync(join(top, "home-"));
});

function configFor(folder: string) {
  return loadConfig({ env: { KENNING_HOME: folder, PORT: "0" }, cwd: top });
}

describe("the machine", () => {
  const config = configFor(top);

  test.each([
    ["24.7.0", "ok"],
    ["26.0.0", "ok"],
    ["24.6.9", "fail"],
    ["20.19.0", "fail"],
  ])("Node %s: %s", (version, status) => {
    expect(checkNode(config, version).status).toBe(status);
  });

  test("a clock that is behind the installation", () => {
    expect(checkClock(config, new Date("2001-01-01")).status).toBe("fail");
    expect(checkClock(config, new Date("2100-01-01")).status).toBe("ok");
  });

  test("packages and disk of this very machine", async () => {
    expect(checkPackages()).toMatchObject({
      status: "ok",
      message: expect.stringContaining("@modelcontextprotocol/server"),
    });
    expect((await checkDisk(config)).message).toMatch(/^[\d.]+ \w+ of [\d.]+ \w+ are free at /);
  });

  test.each([
    [0, "0 B"],
    [1_023, "1023 B"],
    [1_536, "1.5 KiB"],
    [200 * 2 ** 20, "200 MiB"],
    [2 ** 40, "1.0 TiB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});

describe("the data folder", () => {
  test.each([
    [0o700, "ok"],
    [0o711, "ok"],
    [0o755, "warn"],
    [0o777, "fail"],
  ])("mode %o: %s", (mode, status) => {
    chmodSync(home, mode);
    expect(checkHome(configFor(home)).status).toBe(status);
  });

  test("one that is not there yet, a file, and one below a file", () => {
    chmodSync(home, 0o711);
    expect(checkHome(configFor(join(home, "new", "deep"))).status).toBe("ok");
    const file = join(home, "file");
    writeFileSync(file, "");
    expect(checkHome(configFor(file))).toMatchObject({
      status: "fail",
      message: expect.stringContaining("is not a folder"),
    });
    expect(checkHome(configFor(join(file, "below"))).status).toBe("fail");
  });

  test("as root, a closed folder on the way is named", (context) => {
    needsRoot(context);
    chmodSync(top, 0o700);
    const finding = checkHome(configFor(home));
    expect(finding).toMatchObject({ status: "fail", message: expect.stringContaining(`${top} on the way`) });
  });
});

describe("the root secret", () => {
  test("is made later, good, open to others, or empty", () => {
    const config = configFor(home);
    const file = join(home, "root-secret");
    expect(checkRootSecret(config).status).toBe("ok");
    const secret = rootSecret(home, null);
    expect(rootSecret(home, null)).toBe(secret);
    expect(checkRootSecret(config).status).toBe("ok");
    chmodSync(file, 0o644);
    expect(checkRootSecret(config)).toMatchObject({
      status: "fail",
      advice: `Close it with: chmod 600 ${file}`,
    });
    writeFileSync(file, "");
    expect(checkRootSecret(config)).toMatchObject({
      status: "fail",
      message: expect.stringContaining("empty"),
    });
    expect(() => rootSecret(home, null)).toThrow(/root-secret, from which all keys are derived, is empty/);
  });

  test("is missed when there is a database", () => {
    mkdirSync(join(home, "postgres", "data"), { recursive: true });
    expect(checkRootSecret(configFor(home))).toMatchObject({
      status: "fail",
      advice: expect.stringContaining("kenning home adopt"),
    });
  });
});

test("a server is found by its port", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(listenersOn(port)).toContain(process.pid);
  server.close();
  await once(server, "close");
  expect(listenersOn(port)).toEqual([]);
});

test("a database that runs as nobody is warned of", () => {
  expect(sharedAccount(home, "It runs.", "nobody")).toMatchObject({ status: "warn" });
  expect(sharedAccount(home, "It runs.", "kenning")).toBeNull();
});

test("what depends on a check that failed is not looked at", async () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  const findings = await examine(configFor(file));
  expect(
    findings.filter(({ status }) => status === "fail").map(({ name, advice }) => [name, advice]),
  ).toEqual([
    ["folder", "Set KENNING_HOME to a folder of your own."],
    ["root secret", "Mend the folder first, see above."],
    ["database", "Mend the folder first, see above."],
    ["migrations", "Mend the database first, see above."],
    ["proxy", "Mend the migrations first, see above."],
    ["storage", "Mend the migrations first, see above."],
    ["engines", "Mend the migrations first, see above."],
  ]);
});
