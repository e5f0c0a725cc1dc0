import type { Demo } from "../../domains/demo/index.ts";
import { openCatalog } from "../../platform/catalog/index.ts";
import { loadConfig } from "../config.ts";
import { examine, type NamedFinding } from "../doctor.ts";
import { adoptHome } from "../home/adopt-home.ts";
import { createLog } from "../log.ts";
import type { Terminal } from "./command.ts";
import { Progress } from "./output.ts";
import { quiet, requireDatabase, withTools } from "./with-services.ts";

/** Exit code 1 when something is broken; a warning alone is no failure. */
export async function doctor(
  { json, deep }: { json: boolean; deep: boolean },
  terminal: Terminal,
): Promise<number> {
  const findings = await examine(loadConfig(), { isDeep: deep });
  terminal.out(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(lines).join(""));
  return findings.some(({ status }) => status === "fail") ? 1 : 0;
}

function lines({ name, status, message, advice }: NamedFinding): string {
  const line = `${status.padEnd(4)}  ${name.padEnd(10)}  ${message}\n`;
  return advice ? `${line}${" ".repeat(18)}-> ${advice}\n` : line;
}

export async function adopt(
  { options }: { options: { "accept-loss": boolean } },
  terminal: Terminal,
): Promise<number> {
  const config = quiet(loadConfig());
  requireDatabase(config);
  const { home, databaseUrl } = config.storage;
  const catalog = await openCatalog({
    home,
    log: createLog(config),
    ...(databaseUrl !== null && { databaseUrl }),
  });
  try {
    await catalog.migrate();
    const parts = { catalog, home, jwtSecret: config.security.jwtSecret };
    terminal.err(`${await adoptHome(parts, { acceptLoss: options["accept-loss"] })}\n`);
    return 0;
  } finally {
    await catalog.close();
  }
}

export async function createDemo(terminal: Terminal): Promise<number> {
  const progress = new Progress(terminal);
  await withDemo(async (demo) => {
    if ((await demo.status()) === null) await demo.create();
    await demo.fill(({ done, steps, doing }) => progress.show(doing ?? "", done / steps));
  });
  progress.end();
  terminal.err("The workspace demo is there. Sign in to the server to see its dashboards.\n");
  return 0;
}

export async function removeDemo(terminal: Terminal): Promise<number> {
  await withDemo((demo) => demo.remove());
  terminal.err("Removed the demo workspace.\n");
  return 0;
}

/** Tools do the work, and jobs read the documents, also those that an earlier try stored. */
async function withDemo<T>(work: (demo: Demo) => Promise<T>): Promise<T> {
  return withTools(async ({ engines, services }) => {
    await engines.jobs.start();
    return work(services.demo.demo);
  });
}
