import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ownedTempName, sweepLeftovers } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kenning-temp-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("sweeps what dead processes left, and nothing that is in use or strange", async () => {
  const [host, , token, random] = ownedTempName().split("-");
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const living = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
  const kept = [
    ownedTempName(),
    `${host}-${living.pid}-00000000-${random}`,
    `ffffffff-${dead}-00000000-${random}`,
    "notes.txt",
  ];
  const swept = [
    `${host}-${dead}-00000000-${random}`,
    `${host}-${process.pid}-${token === "00000000" ? "11111111" : "00000000"}-${random}`,
  ];
  for (const name of [...kept, ...swept]) await writeFile(join(folder, name), "x");
  await mkdir(join(folder, `${host}-${dead}-00000000-abc`, "deep"), { recursive: true });

  expect(await sweepLeftovers(folder)).toBe(3);
  expect((await readdir(folder)).sort()).toEqual(kept.sort());
  living.kill("SIGKILL");
});
