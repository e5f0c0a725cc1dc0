import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
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

/** The other side of a download, which shares the machine with it and so must cost little. */
export async function serveFile(path: string): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) => {
    sendFile(path, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { url: `http://127.0.0.1:${port}/${name}`, close: () => server.close() };
}

const PIECE_BYTES = 1024 * 1024;

/** One buffer is read into while the other is sent: half of the CPU time of a stream, which takes new ones. */
async function sendFile(path: string, response: ServerResponse): Promise<void> {
  const file = await open(path);
  try {
    response.setHeader("content-length", (await file.stat()).size);
    const buffers = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)] as const;
    let sent: Promise<void> = Promise.resolve();
    for (let turn = 0; ; turn += 1) {
      const { buffer, bytesRead } = await file.read(buffers[turn % 2 === 0 ? 0 : 1], 0, PIECE_BYTES);
      await sent;
      if (bytesRead === 0) break;
      sent = new Promise((resolve, reject) => {
        response.write(buffer.subarray(0, bytesRead), (error) => (error ? reject(error) : resolve()));
      });
    }
    response.end();
  } finally {
    await file.close();
  }
}
