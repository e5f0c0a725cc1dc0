import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take half a minute, mostly waiting. Where nobody has run the tests before, the runner knows only sizes,
 * and a long one that begins last keeps everybody waiting.
 */
const SLOW = [
  "src/domains/models/query-limits.test.ts",
  "src/domains/data/tools/run.tool.test.ts",
  "src/domains/identity/authentication/authentication.test.ts",
  "src/domains/data/connectors/mysql/hostile-server.test.ts",
  "src/domains/data/connectors/postgresql/hostile-server.test.ts",
  "src/app/cli/dataset.test.ts",
  "src/app/cli/eval.test.ts",
  "src/platform/catalog/embedded.test.ts",
  "test/e2e/cli.test.ts",
  "test/e2e/large-bodies.test.ts",
  "test/e2e/strangers.test.ts",
  "test/e2e/oauth/browser.test.ts",
  "test/faults/",
];

/** The runner's own order, in each project the slow ones first. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isSlow), ...own.filter((file) => !isSlow(file))];
    });
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return SLOW.some((part) => moduleId.includes(part));
}
