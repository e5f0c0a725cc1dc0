import { globSync, readFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** The rules of the house that a type checker does not see. */

const ROOT = resolve(import.meta.dirname, "..");
const SRC = resolve(ROOT, "src");
const LAYERS = ["kernel", "platform", "registry", "domains", "surfaces", "app"];
/** A slice stands only on those before it. */
const SLICES = [
  "identity",
  "llm",
  "data",
  "models",
  "knowledge",
  "memory",
  "agent",
  "bi",
  "automation",
  "assets",
  "instructions",
  "demo",
];
const ROLE_SUFFIXES =
  /^[a-z0-9]+(-[a-z0-9]+)*(\.(tool|resource|prompt|store|tables|job|route|page))?(\.test)?\.ts$/;

interface SourceFile {
  path: string;
  layer: number;
  slice: string;
  text: string;
  imports: string[];
}

const files: SourceFile[] = globSync("**/*.ts", { cwd: SRC }).map((path) => {
  const text = readFileSync(resolve(SRC, path), "utf8");
  const [layer = "", slice = ""] = path.split("/");
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(SRC, resolve(SRC, dirname(path), match[1] as string)),
  );
  return { path, layer: LAYERS.indexOf(layer), slice: `${layer}/${slice}`, text, imports };
});

const product = files.filter(({ path }) => !path.endsWith(".test.ts"));

describe("the house", () => {
  it("has only the known layers", () => {
    expect(files.filter(({ layer }) => layer === -1).map(({ path }) => path)).toEqual([]);
  });

  it("imports point down", () => {
    const upward = product.flatMap(({ path, layer, imports }) =>
      imports
        .filter((target) => LAYERS.indexOf(target.split("/")[0] as string) > layer)
        .map((target) => `${path} → ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it("has only the known slices, each standing on those before it", () => {
    const own = product.filter(({ path }) => path.startsWith("domains/"));
    const place = (path: string) => SLICES.indexOf(path.split("/")[1] as string);
    const upward = own.flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith("domains/") && place(target) > place(path))
        .map((target) => `${path} → ${target}`),
    );
    expect({ unknown: own.filter(({ path }) => place(path) === -1).map(({ path }) => path), upward }).toEqual(
      {
        unknown: [],
        upward: [],
      },
    );
  });

  it("opens slices in that order", () => {
    const list = product.find(({ path }) => path === "app/slices.ts")?.text.match(/SLICES = \[(.*?)\]/s)?.[1];
    const opened = [...(list ?? "").matchAll(/(\w+)Slice\b/g)].map((match) => match[1] as string);
    expect(opened.length).toBeGreaterThan(0);
    expect(opened).toEqual(SLICES.filter((slice) => opened.includes(slice)));
  });

  it("enters a slice of domains or platform by its index.ts (or by its bounds and settings; tables may refer to tables)", () => {
    const detours = product.flatMap(({ path, slice, imports }) =>
      imports
        .filter((target) => /^(domains|platform)\//.test(target))
        .filter((target) => target.split("/").slice(0, 2).join("/") !== slice)
        .filter((target) => !["index.ts", "limits.ts", "settings.ts"].includes(basename(target)))
        .filter((target) => !(path.endsWith(".tables.ts") && target.endsWith(".tables.ts")))
        .map((target) => `${path} → ${target}`),
    );
    expect(detours).toEqual([]);
  });

  it("reads the environment and the command line only in app/", () => {
    const readers = product.filter(
      ({ path, text }) => !path.startsWith("app/") && /process\.(env|argv)\b/.test(text),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });

  it("has only commands and the demo be the operator: all others name nothing, and are members", () => {
    const named = product.filter(({ text }) => /\boperator: true\b/.test(text)).map(({ path }) => path);
    expect(named.toSorted()).toEqual([
      "app/cli/eval-place.ts",
      "app/cli/with-services.ts",
      "domains/demo/demo.ts",
      // Hands on what a caller was.
      "domains/identity/authentication/authentication.ts",
    ]);
  });

  it("does no I/O in the kernel", () => {
    const io = product.filter(
      ({ path, text }) => path.startsWith("kernel/") && /from "node:(fs|net|http|child_process)/.test(text),
    );
    expect(io.map(({ path }) => path)).toEqual([]);
  });

  it("names files in kebab-case with their role as suffix", () => {
    const odd = files.filter(
      ({ path }) => !ROLE_SUFFIXES.test(basename(path)) && !path.endsWith("drizzle.config.ts"),
    );
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  it("keeps files to a sitting", () => {
    const long = product.filter(({ text }) => text.split("\n").length > 600);
    expect(long.map(({ path, text }) => `${path}: ${text.split("\n").length} lines`)).toEqual([]);
  });

  it("has a test beside every tool, and every tool in its slice's list", () => {
    const tools = product.filter(({ path }) => path.endsWith(".tool.ts"));
    const paths = new Set(files.map(({ path }) => path));
    const untested = tools.filter(({ path }) => !paths.has(path.replace(/\.ts$/, ".test.ts")));
    const unlisted = tools.filter(({ path, slice }) => {
      const lists = files.filter((file) => [`${slice}/index.ts`, `${slice}/slice.ts`].includes(file.path));
      return !lists.some(({ imports }) => imports.includes(path));
    });
    expect({
      untested: untested.map(({ path }) => path),
      unlisted: unlisted.map(({ path }) => path),
    }).toEqual({
      untested: [],
      unlisted: [],
    });
  });

  it("keeps bounds plain: numbers and their sentences, which anything may import", () => {
    const laden = product.filter(({ path, imports }) => basename(path) === "limits.ts" && imports.length > 0);
    expect(laden.map(({ path }) => path)).toEqual([]);
  });

  it("leaves no default exports, star exports or notes to self", () => {
    const pattern = /^export default|^export \*|\bTODO\b|\bFIXME\b|\bXXX\b/m;
    expect(product.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
