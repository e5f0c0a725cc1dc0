import { setTimeout as sleep } from "node:timers/promises";
import { isAppError, messageOf } from "../kernel/errors.ts";
import type { Config } from "./config.ts";
import { type Check, type Finding, fail } from "./doctor/check.ts";
import { checkDatabase, checkMigrations, checkProxy } from "./doctor/database.ts";
import { checkHome, checkRootSecret } from "./doctor/home.ts";
import { checkClock, checkDisk, checkNode, checkPackages } from "./doctor/machine.ts";
import { checkMemory, checkPort } from "./doctor/server.ts";
import { checkEngines, checkFiles, checkStorage } from "./doctor/storage.ts";
import { LIMITS } from "./limits.ts";

/** In this order, because the first that fails is usually the reason for those after it. */
const CHECKS: readonly Check[] = [
  { name: "node", run: checkNode },
  { name: "packages", run: checkPackages },
  { name: "clock", run: checkClock },
  { name: "folder", run: checkHome },
  { name: "root secret", needs: "folder", run: checkRootSecret },
  { name: "disk", run: checkDisk },
  { name: "port", run: checkPort },
  { name: "memory", run: checkMemory },
  { name: "database", needs: "folder", run: checkDatabase },
  { name: "migrations", needs: "database", run: checkMigrations },
  { name: "proxy", needs: "migrations", run: checkProxy },
  { name: "storage", needs: "migrations", run: checkStorage },
  { name: "engines", needs: "migrations", run: checkEngines },
];

/** What takes as long as there is data. */
const DEEP_CHECKS: readonly Check[] = [
  { name: "files", needs: "storage", run: checkFiles, limitMs: LIMITS.commandLine.deepCheckMs },
];

export interface NamedFinding extends Finding {
  name: string;
}

/** Runs all checks, one after the other; a check that itself fails or hangs is a finding too. */
export async function examine(config: Config, { isDeep = false } = {}): Promise<NamedFinding[]> {
  const findings: NamedFinding[] = [];
  for (const check of [...CHECKS, ...(isDeep ? DEEP_CHECKS : [])]) {
    const obstacle = findings.find(({ name, status }) => name === check.needs && status === "fail");
    const finding = obstacle === undefined ? await runCheck(check, config) : blockedBy(obstacle);
    findings.push({ name: check.name, ...finding });
  }
  return findings;
}

function blockedBy({ name }: NamedFinding): Finding {
  return fail("This could not be looked at.", `Mend the ${name} first, see above.`);
}

async function runCheck(check: Check, config: Config): Promise<Finding> {
  const checkMs = check.limitMs ?? LIMITS.commandLine.checkMs;
  const late = new AbortController();
  const tooLong = sleep(checkMs, undefined, { signal: late.signal }).then(
    () =>
      fail(
        `The check took more than ${checkMs} ms.`,
        "Try again; if it stays so, look at the load of the machine.",
      ),
    () => fail("", ""),
  );
  try {
    return await Promise.race([check.run(config), tooLong]);
  } catch (error) {
    if (isAppError(error)) return fail(error.message, error.hint ?? "");
    return fail(`The check itself failed: ${messageOf(error)}`, "Please report this.");
  } finally {
    late.abort();
  }
}
