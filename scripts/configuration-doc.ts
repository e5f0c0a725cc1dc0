import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS, settingsOf } from "../src/app/config.ts";

const SRC = join(import.meta.dirname, "../src");
const LAYERS = ["surfaces", "kernel", "domains", "platform", "app"];

/** docs/configuration.md: the table of settings and the named limits, in the words of the code. */
export async function renderConfigurationDoc(): Promise<string> {
  return [...intro(), ...settings(), ...(await limits())].join("\n");
}

function intro(): string[] {
  return [
    "# Configuration",
    "",
    "<!-- Made from src/app/config.ts and every limits.ts in src by `npm run generate`. Do not edit. -->",
    "",
    "Kenning needs no configuration to start. Settings come from the environment and from an optional file `.env` in",
    "the working directory; the environment wins. An empty value counts as not set. A value that cannot be used, or an",
    "unknown name that begins with `KENNING_`, stops the start with a sentence that names it.",
    "",
    "*Hidden* means: the value is never shown, in no error and no log. *Reserved* means: the variable is read and",
    "checked, but nothing uses it yet.",
    "",
  ];
}

function settings(): string[] {
  return Object.values(SETTINGS).flatMap(({ title, settings }) => [
    `## ${title}`,
    "",
    "| variable | value | default | what it does |",
    "| --- | --- | --- | --- |",
    ...settingsOf(settings).map(({ name, allowed, fallbackText, description, secret, reserved }) =>
      row([
        `\`${name}\``,
        capitalised(allowed) + (secret ? " (*hidden*)" : ""),
        fallbackText,
        reserved ? `*Reserved: read but not used yet.* ${description}` : description,
      ]),
    ),
    "",
  ]);
}

async function limits(): Promise<string[]> {
  const files = limitsFiles();
  const sentences = limitSentences(files);
  const all: [group: string, entries: object][] = [];
  for (const file of files) all.push(...Object.entries<object>((await import(file)).LIMITS));
  return [
    "## Limits",
    "",
    "Everything is bounded. These bounds are built in; they have names so that errors, tests and this page speak of",
    "the same thing.",
    "",
    "| limit | bound | what it bounds |",
    "| --- | --- | --- |",
    ...all.flatMap(([group, entries]) =>
      Object.entries(entries).map(([name, bound]) => {
        const key = `${group}.${name}`;
        return row([`\`${key}\``, boundText(name, bound), sentences.get(key) ?? missing(key)]);
      }),
    ),
    "",
  ];
}

/** Each slice, engine and surface has its own; those that a caller meets first come first. */
function limitsFiles(): string[] {
  const place = (path: string) => LAYERS.indexOf(path.split("/")[0] as string);
  const paths = globSync("**/limits.ts", { cwd: SRC }).toSorted();
  return paths.toSorted((a, b) => place(a) - place(b)).map((path) => join(SRC, path));
}

function missing(key: string): never {
  throw new Error(`The limit ${key} has no sentence above it.`);
}

/** The doc comment of each limit, by `group.name`: values come from the module, sentences only stand in its text. */
function limitSentences(files: readonly string[]): Map<string, string> {
  const sentences = new Map<string, string>();
  let group = "";
  let comment: string[] = [];
  for (const line of files
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .split("\n")
    .map((text) => text.trim())) {
    const opened = /^(\w+): \{$/.exec(line);
    const entry = /^(\w+): (?!\{)/.exec(line);
    if (opened) group = opened[1]!;
    else if (line.startsWith("/**")) comment = [line];
    else if (line.startsWith("*")) comment.push(line);
    else if (entry && comment.length > 0) {
      sentences.set(`${group}.${entry[1]}`, plainText(comment));
      comment = [];
    }
  }
  return sentences;
}

function plainText(comment: readonly string[]): string {
  const lines = comment.map((line) => line.replace(/^\/\*\*\s?|^\*\s?(?!\/)|\s*\*\/$/g, "").trim());
  return lines.filter((line) => line !== "").join(" ");
}

/** The number with its unit, which is the last word of the name. */
function boundText(name: string, bound: unknown): string {
  if (typeof bound !== "number") return `\`${JSON.stringify(bound)}\``;
  const unit = /[A-Z]?[a-z]+$/.exec(name)?.[0].toLowerCase();
  if (unit === "bytes")
    return scaled(
      bound,
      [
        ["GiB", 2 ** 30],
        ["MiB", 2 ** 20],
        ["KiB", 2 ** 10],
      ],
      "bytes",
    );
  if (unit === "ms")
    return scaled(
      bound,
      [
        ["days", 86_400_000],
        ["h", 3_600_000],
        ["min", 60_000],
        ["s", 1_000],
      ],
      "ms",
    );
  return grouped(bound);
}

function scaled(bound: number, units: readonly [string, number][], smallest: string): string {
  const [unit, size] = units.find(([, size]) => bound >= size && bound % size === 0) ?? [smallest, 1];
  return `${grouped(bound / size)} ${unit}`;
}

function grouped(bound: number): string {
  return bound.toLocaleString("en-US");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
