/**
 * The first thing that runs in a sandboxed process. It loads the module while it can still read it (the project
 * may lie below a folder that only root can enter), gives up root for good, and only then opens the channel.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../kernel/errors.ts";
import { type BootstrapPlan, parsePlan } from "./protocol.ts";
import { openChannel } from "./worker-channel.ts";

function dropPrivileges({ uid, gid }: { uid: number; gid: number }): void {
  process.setgroups!([]);
  process.setgid!(gid);
  process.setuid!(uid);
  const { getuid, geteuid, getgid, getegid, getgroups } = process;
  const ids = [getuid!(), geteuid!(), getgid!(), getegid!()];
  if (String(ids) !== String([uid, uid, gid, gid]) || getgroups!().some((group) => group !== gid)) {
    throw new Error("the process is still somebody else");
  }
  if (canBecomeRoot()) throw new Error("the process can become root again");
}

function canBecomeRoot(): boolean {
  try {
    process.setuid!(0);
    return true;
  } catch {
    return false;
  }
}

async function start(plan: BootstrapPlan): Promise<void> {
  process.umask(0o077);
  await import(pathToFileURL(plan.module).href);
  if (plan.user !== undefined) dropPrivileges(plan.user);
  const send = openChannel(plan);
  send({ type: "ready", uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 });
}

try {
  await start(parsePlan(readFileSync(0, "utf8")));
} catch (error) {
  process.stderr.write(`cannot start: ${messageOf(error)}\n`, () => process.exit(1));
}
