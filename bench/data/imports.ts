import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Child, type Usage } from "./child.ts";
import { callTool, type Hello } from "./mcp.ts";
import { inTurns, median, print, seconds } from "./report.ts";

/** A CSV file into a part: by its path and by its URL, beside DuckDB's own COPY into a Parquet file. */
export async function benchImports(
  { csv, folder, rounds }: { csv: string; folder: string; rounds: number },
  duckdb: Child,
  kenning: Child<Hello>,
): Promise<void> {
  const imports = await Child.start("import");
  const files = await serveFile(csv);
  const copy = `COPY (SELECT * FROM read_csv('${csv}')) TO '${join(folder, "bare.parquet")}'`;
  const contestants = [
    { name: "bare DuckDB", run: () => duckdb.watch<unknown>(() => duckdb.ask(copy)) },
    { name: "Kenning, by path", run: () => imports.watch<unknown>(() => imports.ask(csv)) },
    {
      name: "Kenning, import_file by URL",
      run: () =>
        kenning.watch<unknown>(() =>
          callTool(kenning, "import_file", { dataset_name: "Imported", file_url: files.url }),
        ),
    },
  ];
  const runs = contestants.map(({ run }) => run);
  const results = await inTurns<Usage>(rounds, runs).finally(() => {
    files.close();
    return imports.stop();
  });
  const bare = results[0] as Usage[];
  const rows = contestants.map(({ name }, index) => {
    const usages = results[index] as Usage[];
    return [
      name,
      seconds(median(usages.map(({ ms }) => ms))),
      ratio(usages, bare, ({ ms }) => ms),
      seconds(median(usages.map(({ cpuMs }) => cpuMs))),
      ratio(usages, bare, ({ cpuMs }) => cpuMs),
      Math.max(...usages.map(({ peakMb }) => peakMb)).toFixed(0),
    ];
  });
  const megabytes = (statSync(csv).size / 1e6).toFixed(0);
  print(`Import of ${megabytes} MB of CSV`, [["", "s", "ratio", "CPU s", "CPU ratio", "peak MB"], ...rows]);
}

/** Each round against the one beside it: what the machine does meanwhile is the same for both. */
function ratio(runs: Usage[], bare: Usage[], of: (usage: Usage) => number): string {
  return median(runs.map((run, round) => of(run) / of(bare[round] as Usage))).toFixed(2);
}

export async function serveFile(path: string): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-length", statSync(path).size);
    createReadStream(path, { highWaterMark: 1024 * 1024 }).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { url: `http://127.0.0.1:${port}/${name}`, close: () => server.close() };
}
