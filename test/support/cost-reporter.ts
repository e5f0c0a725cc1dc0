import type { Reporter, TestModule, Vitest } from "vitest/node";

/**
 * How many processes the tests of a slice may start for each of its files, on average. Nearly all of the tests' time
 * goes into processes, and unlike their seconds the number is the same on a slow or busy machine. A server with data
 * starts four: two engines, and a watchdog for each.
 */
const PROCESSES_A_FILE = 12;

/** Slices that are about processes. */
const MORE_A_FILE: Readonly<Record<string, number>> = {
  "src/platform/analytics": 20,
  "src/platform/catalog": 30,
  "src/platform/sandbox": 50,
  "src/platform/workers": 50,
  "src/app/cli": 25,
  "src/app/home": 100,
  "src/domains/demo": 20,
  "test/faults": 30,
};

const SHOWN_FILES = 40;

interface Cost {
  files: number;
  tests: number;
  /** Of processors: what a run takes by the clock depends on what else the machine does. */
  seconds: number;
  processes: number;
}

/** Prints what the tests of each slice cost, before the runner's own count, and fails where they start too many processes. */
export class CostReporter implements Reporter {
  #vitest!: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // Who asks for a few files has them before his eyes.
    if (this.#vitest.config.testNamePattern !== undefined || modules.length < 20) return;
    const costs = costsBySlice(modules);
    const rows = [...costs].map(([slice, cost]) => row(slice, cost));
    this.#vitest.logger.log(`\nCost by slice:\n${rows.join("\n")}`);
    this.#vitest.logger.log(`The most expensive files:\n${mostExpensive(modules).join("\n")}`);
    const tooMany = [...costs].filter(([slice, cost]) => cost.processes > budgetOf(slice, cost));
    if (tooMany.length === 0) return;
    const names = tooMany.map(([slice]) => slice).join(", ");
    this.#vitest.logger.log(
      `Too many processes in ${names}: let tests share a server, or stay in their own.`,
    );
    process.exitCode = 1;
  }
}

/** By folder: `src/domains/data`, `test/e2e`; the most expensive first. */
function costsBySlice(modules: readonly TestModule[]): Map<string, Cost> {
  const costs = new Map<string, Cost>();
  for (const module of modules) {
    const slice = sliceOf(module.relativeModuleId);
    const cost = costs.get(slice) ?? { files: 0, tests: 0, seconds: 0, processes: 0 };
    cost.files += 1;
    cost.tests += [...module.children.allTests()].length;
    cost.seconds += module.meta().cpuSeconds ?? 0;
    cost.processes += module.meta().processes ?? 0;
    costs.set(slice, cost);
  }
  return new Map([...costs].toSorted(([, a], [, b]) => b.seconds - a.seconds));
}

function mostExpensive(modules: readonly TestModule[]): string[] {
  const seconds = (module: TestModule) => module.meta().cpuSeconds ?? 0;
  return modules
    .toSorted((a, b) => seconds(b) - seconds(a))
    .slice(0, SHOWN_FILES)
    .map((module) => `  ${module.relativeModuleId.padEnd(60)}${seconds(module).toFixed(1).padStart(6)} s`);
}

function sliceOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, folders[0] === "src" ? 3 : 2).join("/");
}

function budgetOf(slice: string, { files }: Cost): number {
  return files * (MORE_A_FILE[slice] ?? PROCESSES_A_FILE);
}

function row(slice: string, cost: Cost): string {
  const { files, tests, seconds, processes } = cost;
  const counts = `${String(files).padStart(4)} files ${String(tests).padStart(5)} tests`;
  const budget = `${String(processes).padStart(5)} of ${budgetOf(slice, cost)} processes`;
  return `  ${slice.padEnd(30)}${counts}${seconds.toFixed(0).padStart(5)} s ${budget}`;
}
