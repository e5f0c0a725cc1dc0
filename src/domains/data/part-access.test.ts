import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needsRoot } from "../../../test/support/availability.ts";
import { makeDataset } from "../../../test/support/datasets.ts";
import { startTestServer } from "../../../test/support/server.ts";
import { osUserOf } from "../../platform/sandbox/index.ts";

it("the parts of datasets can be read by the engine's processes, and by no other sandbox", async (context) => {
  needsRoot(context);
  const home = await mkdtemp(join(tmpdir(), "kenning-parts-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const server = await startTestServer({ env: { KENNING_HOME: home } });
  onTestFinished(() => server.stop());
  await makeDataset(server, await server.token(), "Orders", [{ n: 1 }]);
  // A closed home would hide what this is about.
  await chmod(home, 0o755);
  const entries = await readdir(join(home, "blobs/parts"), { recursive: true, withFileTypes: true });
  const part = entries.find((entry) => entry.isFile())!;
  const statusFor = (account: ReturnType<typeof osUserOf>): number | null =>
    spawnSync("cat", [join(part.parentPath, part.name)], { ...account, stdio: "ignore" }).status;
  expect(statusFor(osUserOf("engine", 1))).toBe(0);
  for (const kind of ["fileReader", "databaseFile"] as const) {
    for (let number = 0; number < 100; number += 1) {
      expect(osUserOf(kind, number)?.gid).not.toBe(osUserOf("engine", 0)?.gid);
    }
    expect(statusFor(osUserOf(kind, 0))).toBe(1);
  }
});
