import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/** Lists the tests that did not run and why, just before the runner's own count. With CI=true each is a failure. */
export class NotRunReporter implements Reporter {
  #vitest!: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    const lines = skipped.flatMap((test) => this.#reasonFor(test) ?? []);
    if (lines.length === 0) return;
    this.#vitest.logger.log(`\nNot run:\n${lines.join("\n")}`);
    if (process.env.CI !== "true") return;
    this.#vitest.logger.log("With CI=true every test must run: this is a failure.");
    process.exitCode = 1;
  }

  #reasonFor(test: TestCase): string | undefined {
    const result = test.result();
    const note = result.state === "skipped" ? result.note : undefined;
    // Whoever asks for some tests by name knows that the others do not run.
    const isLeftOut = test.options.mode !== "run" && this.#vitest.config.testNamePattern === undefined;
    if (note === undefined && !isLeftOut) return undefined;
    return `  ${test.module.relativeModuleId} > ${test.fullName}: ${note ?? "no reason given"}`;
  }
}
