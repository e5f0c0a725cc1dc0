import type { Demo } from "../../domains/demo/index.ts";
import type { Terminal } from "./command.ts";
import { Progress } from "./output.ts";
import { withTools } from "./with-services.ts";

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
