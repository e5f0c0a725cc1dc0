import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { TestContext } from "vitest";

export const CHROMIUM = "/usr/bin/chromium";

/**
 * What a test needs that not every machine has is said at its beginning: `it("…", async (context) => {
 * needsRoot(context); … })`. Where it is missing the test is listed at the end as not run, with the reason;
 * with CI=true that is a failure (see not-run-reporter.ts).
 */
export function needsRoot({ skip }: TestContext): void {
  skip(process.getuid?.() !== 0, "needs root, to become another user");
}

export function needsChromium({ skip }: TestContext): void {
  skip(!existsSync(CHROMIUM), `needs a browser at ${CHROMIUM}: apt-get install chromium`);
}

export function needsPoppler({ skip }: TestContext): void {
  skip(!existsSync("/usr/bin/pdftotext"), "needs pdftotext: apt-get install poppler-utils");
}

/** Namespaces stand for containers: processes that see neither each other's numbers nor each other's /tmp. */
export function needsNamespaces({ skip }: TestContext): void {
  const { status } = spawnSync("unshare", [
    "--mount",
    "--pid",
    "--fork",
    "--mount-proc",
    "--uts",
    "--net",
    "true",
  ]);
  skip(status !== 0, "needs root and unshare, to play a container");
}
