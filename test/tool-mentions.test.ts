import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeRegistry } from "../src/app/slices.ts";
import { toolMentions } from "../src/kernel/errors.ts";
import { SURFACES } from "../src/registry/caller.ts";
import { publish } from "../src/surfaces/mcp/tool-list.ts";

/** Texts name a tool as `{tool:name}`: a plain name would be wrong on a surface that has another, or lacks the tool. */

const SRC = resolve(import.meta.dirname, "../src");
const registry = describeRegistry();
const names = new Set(registry.tools("all").map(({ name }) => name));

const TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
/** Each surface publishes its tools' descriptions as they are; what they may name is tested below. */
const IS_DESCRIPTION = /(?:\bdescription(?::| =)|\.describe\()$/;
const ADDRESSED = /\b(?:with|use|call|see) (?=[a-z])/i;

interface Text {
  path: string;
  text: string;
}

const texts: Text[] = globSync("**/*.ts", { cwd: SRC })
  .filter((path) => !path.endsWith(".test.ts"))
  .flatMap((path) => {
    const source = readFileSync(resolve(SRC, path), "utf8");
    return [...source.matchAll(TOKEN)]
      .filter(([token]) => /^["`]/.test(token) && /\s/.test(token))
      .filter((match) => !IS_DESCRIPTION.test(source.slice(0, match.index).trimEnd()))
      .map(([text]) => ({ path, text: text.slice(1, -1) }));
  });

/** Names of tools that stand in a text without braces. A name that is a word, too, counts only after "with" and the like. */
function plainNames(text: string): string[] {
  const rest = text.replaceAll(/\{tool:[^}]*\}/g, "…");
  return [...names].filter((name) => {
    const before = name.includes("_") ? "" : ADDRESSED.source;
    return new RegExp(`${before}(?<!["\\w])${name}(?!["\\w])`).test(rest);
  });
}

describe("texts", () => {
  it("are all looked at", () => {
    expect(texts.filter(({ text }) => toolMentions(text).length > 0).length).toBeGreaterThan(30);
    expect(plainNames("See get_details. Run it with run, or whenever a run ends.")).toEqual([
      "get_details",
      "run",
    ]);
  });

  it("name no tool outside of braces", () => {
    const plain = texts.flatMap(({ path, text }) =>
      plainNames(text).map((name) => `${path}: ${name} in "${text}"`),
    );
    expect(plain).toEqual([]);
  });

  it("name in braces only tools that there are, with arguments that they have", () => {
    const wrong = texts.flatMap(({ path, text }) => {
      const opened = text.split("{tool:").length - 1;
      const known = toolMentions(text).filter(({ tool, argument }) => {
        const properties = registry.tool("all", tool)?.inputSchema.properties as object | undefined;
        return properties !== undefined && (argument === undefined || argument in properties);
      });
      return known.length === opened ? [] : [`${path}: ${text}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe.each(SURFACES.filter((surface) => surface !== "all"))("the tools of %s", (surface) => {
  it("are described without naming a tool that is not there", () => {
    const here = new Set(registry.tools(surface).map(({ name }) => name));
    const foreign = registry
      .tools(surface)
      .flatMap((tool) => plainNames(JSON.stringify(publish(tool))).filter((name) => !here.has(name)));
    expect(foreign).toEqual([]);
  });
});
