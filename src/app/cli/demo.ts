import type { Demo } from "../../domains/demo/index.ts";
import { loadConfig } from "../config.ts";
import { open } from "../open.ts";
import { register } from "../slices.ts";
import type { Terminal } from "./command.ts";
import { auditedCommand } from "./command-audit.ts";
import { Progress } from "./output.ts";
import { quiet, requireDatabase } from "./with-services.ts";

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

/** Tools do the work, so they are all there, and jobs read the documents. */
async function withDemo<T>(work: (demo: Demo) => Promise<T>): Promise<T> {
  const config = loadConfig();
  requireDatabase(config);
  const { services, engines, close } = await open(quiet(config));
  try {
    register(engines.registry, services);
    await engines.jobs.start();
    return await auditedCommand(services.identity, () => work(services.demo.demo));
  } finally {
    await close();
  }
}
