/**
 * Loaded first in our processes and threads, as plain JavaScript from the folder that strip.ts writes: gives Node the
 * stripped text of a TypeScript file if there is one of just this text, so that no compiler has to be started.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type LoadHookSync, type ResolveHookSync, registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const isOurs = (url: string): boolean =>
  url.startsWith("file:") && url.endsWith(".ts") && !url.includes("/node_modules/");

const resolve: ResolveHookSync = (specifier, context, next) => {
  const { parentURL } = context;
  const isNear = specifier.startsWith(".") && specifier.endsWith(".ts");
  if (!isNear || parentURL === undefined || !isOurs(parentURL)) return next(specifier, context);
  return { url: new URL(specifier, parentURL).href, format: "module-typescript", shortCircuit: true };
};

const load: LoadHookSync = (url, context, next) => {
  if (!isOurs(url)) return next(url, context);
  const text = readFileSync(fileURLToPath(url), "utf8");
  const name = createHash("sha256").update(`${process.version}\n${text}`).digest("hex");
  try {
    const source = readFileSync(join(import.meta.dirname, `${name}.mjs`), "utf8");
    return { format: "module", source, shortCircuit: true };
  } catch {
    return next(url, context);
  }
};

registerHooks({ resolve, load });
