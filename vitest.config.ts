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
    // Far above what anything takes, so that a machine which does five other things at once gets there, too.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: "forks",
    // Loading the application again for each file took as long as half of the tests. A test leaves nothing behind in
    // its process: what it starts it closes, and what it sets in the environment is taken back here.
    isolate: false,
    unstubEnvs: true,
    restoreMocks: true,
    // Most tests wait for processes of their own, so that one worker a core is not too many. The default is one less.
    maxWorkers: availableParallelism(),
    // Hints on speed would come after the count, which is to be the last word.
    experimental: { diagnostics: false },
  },
});
