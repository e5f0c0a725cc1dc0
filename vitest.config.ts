import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { NotRunReporter } from "./test/support/not-run-reporter.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/fixed-seed.ts"],
    // On a shared machine a test can starve; one that fails three times in a row is broken.
    retry: process.env.CI === undefined ? 0 : 2,
    reporters: [new NotRunReporter(), "default"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Most tests wait for processes of their own, so that one worker a core is not too many. The default is one less.
    maxWorkers: availableParallelism(),
    // Hints on speed would come after the count, which is to be the last word.
    experimental: { diagnostics: false },
  },
});
