import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { CostReporter } from "./test/support/cost-reporter.ts";
import { NotRunReporter } from "./test/support/not-run-reporter.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

/**
 * These test processes and the command line by themselves: they load little, keep things of their own for a whole file,
 * and change the working folder or the environment.
 */
const ALONE = [
  "src/app/**/*.test.ts",
  "src/domains/data/connectors/**/*.test.ts",
  "src/platform/catalog/**/*.test.ts",
  "src/platform/guarded-fetch/**/*.test.ts",
  "src/platform/sandbox/**/*.test.ts",
  "src/platform/workers/**/*.test.ts",
];

/** Engines that `npm run test:engines` brings. */
const ENGINES = process.env.KENNING_TEST_ENGINES === undefined ? ["test/engines/**"] : [];

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/fixed-seed.ts", "test/support/count-processes.ts"],
    // On a shared machine a test can starve; one that fails three times in a row is broken.
    retry: process.env.CI === undefined ? 0 : 2,
    reporters: [new CostReporter(), new NotRunReporter(), "default"],
    // Far above what anything takes, so that a machine which does five other things at once gets there, too.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: SlowFirst },
    pool: "forks",
    execArgv: ["--require", join(import.meta.dirname, "bin/load-quickly.cjs")],
    // Most tests wait for processes of their own, so that one worker more than there are cores keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // Hints on speed would come after the count, which is to be the last word.
    experimental: { diagnostics: false },
    // What was transformed is kept for the next run, by its contents.
    fsModuleCache: true,
    projects: [
      { extends: true, test: { name: "alone", include: ALONE } },
      {
        extends: true,
        test: {
          name: "shared",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...ALONE, ...ENGINES],
          // Loading the application anew for each file would take as long as half of the tests.
          isolate: false,
        },
      },
    ],
  },
});
