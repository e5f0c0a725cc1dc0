import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { GENERATORS } from "./generators.ts";

/** Writes every file that is made from the code: `npm run generate`. */
const root = join(import.meta.dirname, "..");
for (const { path, render } of GENERATORS) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await render());
  process.stdout.write(`${path}\n`);
}
