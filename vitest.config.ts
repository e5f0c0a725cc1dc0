import { defineConfig } from "vitest/config";
import { NotRunReporter } from "./test/support/not-run-reporter.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: [new NotRunReporter(), "default"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Hints on speed would come after the count, which is to be the last word.
    experimental: { diagnostics: false },
  },
});
