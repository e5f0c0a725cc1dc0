import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { Problem, SemanticModel } from "../model.ts";
import { readModel } from "./model-reader.ts";
import { type MapTree, parseFile, type Tree } from "./parse.ts";
import { nameIn, repeatedName } from "./readers.ts";
import { type Budget, type Places, Report, Spot, step } from "./report.ts";
import { checkStructure } from "./structure.ts";

export interface ModelFile {
  /** Its name, with folders where there are any: `src/sales/orders.yaml`. */
  name: string;
  text: string;
}

export interface ReadModel {
  /** As far as it could be read. */
  model: SemanticModel;
  problems: Problem[];
  /** The files that it stands in, the model's own first. */
  files: string[];
  /** For problems that are found later: see `locate`. */
  places: Places;
}

/** Result of reading files: models, and errors of files as a whole. */
export interface Reading {
  models: ReadModel[];
  problems: Problem[];
}

/** Versions of the format; 1.0 was relabelled 0.1.1. */
const VERSIONS = ["1.0", "1", "0.1.1", "0.2.0.dev0"];
const NEWEST = "0.2.0.dev0";

const { modelFiles, modelBytes, modelsPerFile } = LIMITS.models;
const TOO_MUCH = `More than ${modelFiles.toLocaleString("en")} files or ${modelBytes / 1024 / 1024} MB cannot be read together.`;

/** A document of a file, before it is known what it is. */
interface Part {
  file: string;
  /** The file without its extension: the folder of the datasets of this model. */
  stem: string;
  tree: MapTree;
}

/**
 * Reads Ossie (OSI) files, or the folders of archmax: a model in `<model>.yaml`, its datasets in `<model>/`, all of it
 * perhaps below `src/` and assembled below `build/`. Problems of one model are with that model; the others concern
 * files as a whole. Throws `too_large` for too many models.
 */
export function readModels(files: readonly ModelFile[]): Reading {
  const report = new Report();
  const parts = readParts(files, report);
  const stems = new Set(parts.map(({ stem }) => stem));
  const isDataset = ({ tree: { entries }, stem }: Part) =>
    entries.has("dataset") ||
    (stems.has(folderOf(stem)) && !entries.has("semantic_model") && !entries.has("datasets"));
  const datasets = Map.groupBy(parts.filter(isDataset), ({ stem }) => folderOf(stem));
  const found = parts.filter((part) => !isDataset(part));
  // Each may stand there a second time, as it was assembled.
  assertFew(
    found.reduce((sum, part) => sum + modelTreesOf(part.tree).length, 0),
    2 * modelsPerFile,
  );
  const models = unique(
    found.flatMap((part) => readModelsOf(part, datasets.get(part.stem) ?? [], report)),
    report,
  );
  assertFew(models.length);
  for (const [folder, [first]] of datasets) {
    if (first === undefined || stems.has(folder)) continue;
    const message = "The file holds a dataset, but there is no model that it belongs to.";
    atStart(report, first.file).error(message, `Give the file ${clip(folder || "<model>")}.yaml as well.`);
  }
  if (parts.length === 0 && !report.hasErrors) {
    report.add({ severity: "error", message: "There is no file with a semantic model.", path: "" });
  }
  return { models, problems: report.problems() };
}

/** An alias makes a model of a few letters, so they are counted before they are read. */
function assertFew(count: number, most: number = modelsPerFile): void {
  if (count <= most) return;
  const message = `There are ${count} models, and at most ${modelsPerFile} can be read at once.`;
  throw new AppError("too_large", message, { hint: "Split them into several files." });
}

function atStart(report: Report, file: string): Spot {
  return new Spot(report, "", { file, line: 1 });
}

function readParts(files: readonly ModelFile[], report: Report): Part[] {
  const parts: Part[] = [];
  let bytes = 0;
  for (const [i, { name, text }] of files.entries()) {
    const file = name.replaceAll("\\", "/").replace(/^(\.?\/)+/, "");
    const spot = atStart(report, file);
    bytes += Buffer.byteLength(text);
    if (i >= modelFiles || bytes > modelBytes) {
      spot.error(TOO_MUCH, "Read fewer models at a time.");
      break;
    }
    if (/\.[a-z0-9]+$/i.test(file) && !/\.(ya?ml|json)$/i.test(file)) {
      spot.warn("The file is left out: it is neither YAML nor JSON.");
      continue;
    }
    for (const tree of parseFile({ name: file, text }, report)) {
      if (tree.kind === "map") parts.push({ file, stem: file.replace(/\.(ya?ml|json)$/i, ""), tree });
      else spot.error("The file holds no semantic model: it must be a map with keys.");
    }
  }
  return parts;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The models of one document. */
function readModelsOf(part: Part, datasets: readonly Part[], report: Report): ReadModel[] {
  const { file, tree } = part;
  const spot = atStart(report, file);
  const wrapped = tree.entries.get("semantic_model");
  if (wrapped === undefined) {
    if (
      !["datasets", "relationships", "metrics"].some((key) => tree.entries.has(key)) &&
      datasets.length === 0
    ) {
      const hint = "It needs the key semantic_model, or name and datasets.";
      spot.error("The file holds no semantic model.", hint);
      return [];
    }
    const isFolder = datasets.length > 0 || isIn("src", file) || isIn("build", file);
    if (tree.entries.has("version") || !isFolder) checkVersion(tree, spot);
    return [readOne(tree, part, datasets, report.budget)];
  }
  checkVersion(tree, spot);
  for (const [key, { line }] of tree.entries) {
    if (key === "version" || key === "semantic_model") continue;
    spot.part(key, line).warn(`Beside semantic_model there is no key ${clip(key)}: it has no effect.`);
  }
  const models = modelTreesOf(tree);
  if (models.length === 0)
    spot.part("semantic_model", wrapped.line).error("The file holds no semantic model.");
  return models.flatMap((model, i) => {
    if (model.kind === "map") return [readOne(model, part, i === 0 ? datasets : [], report.budget)];
    spot.part("semantic_model", model.line).error("A semantic model must be a map with keys.");
    return [];
  });
}

function modelTreesOf(tree: MapTree): readonly Tree[] {
  const { value } = tree.entries.get("semantic_model") ?? { value: tree };
  return value.kind === "list" ? value.items : [value];
}

function checkVersion(tree: MapTree, spot: Spot): void {
  const entry = tree.entries.get("version");
  if (entry === undefined) {
    const hint = `Add the line version: "${NEWEST}".`;
    spot.warn(`The file does not say its version: it is read as ${NEWEST}.`, hint);
    return;
  }
  const version = entry.value.kind === "scalar" ? entry.value.text.trim() : "";
  if (VERSIONS.includes(version)) return;
  const hint = `Known are ${VERSIONS.filter((one) => one !== "1").join(", ")}.`;
  spot.part("version", entry.line).warn(`The version is not known: the file is read as ${NEWEST}.`, hint);
}

function readOne(tree: MapTree, { file, stem }: Part, datasets: readonly Part[], budget: Budget): ReadModel {
  const report = new Report(budget);
  const spot = new Spot(report, "", { file, line: tree.line });
  const fileName = stem.slice(stem.lastIndexOf("/") + 1);
  const model = readModel(tree, spot, {
    fileName,
    isNamedByFile: datasets.length > 0,
    datasets: datasets.map((part) => datasetIn(part, report)),
  }) as SemanticModel;
  checkStructure(model, report);
  const names = [file, ...datasets.map((one) => one.file)];
  return { model, problems: report.problems(), files: [...new Set(names)], places: report.places };
}

/** A dataset that stands in a file of its own, as `dataset:` or by itself; the file can also give it its name. */
function datasetIn({ file, stem, tree }: Part, report: Report): { tree: Tree; spot: Spot } {
  const wrapped = tree.entries.get("dataset");
  const inner = wrapped?.value ?? tree;
  const fileName = stem.slice(stem.lastIndexOf("/") + 1);
  const place = { file, line: inner.line };
  const spot = new Spot(report, step("datasets", nameIn(inner) ?? fileName), place);
  if (inner.kind !== "map" || inner.entries.has("name")) return { tree: inner, spot };
  const name = {
    line: inner.line,
    value: { kind: "scalar", line: inner.line, value: fileName, text: fileName },
  };
  return { tree: { ...inner, entries: new Map([["name", name as never], ...inner.entries]) }, spot };
}

/** One model of each name: what was assembled from sources gives way to them. */
function unique(models: readonly ReadModel[], report: Report): ReadModel[] {
  const found = new Map<string, ReadModel>();
  const isBuilt = ({ files }: ReadModel) => isIn("build", files[0] as string);
  const sourcesFirst = [...models].sort((a, b) => Number(isBuilt(a)) - Number(isBuilt(b)));
  for (const read of sourcesFirst) {
    const key = read.model.name.toLowerCase();
    const first = found.get(key);
    const spot = atStart(report, read.files[0] as string);
    if (first === undefined) found.set(key, read);
    else if (isBuilt(read) && !isBuilt(first)) {
      spot.warn(`The model ${read.model.name} is read from its source ${first.files[0]}, not from build/.`);
    } else spot.error(repeatedName("model", read.model.name), `The first one is in ${first.files[0]}.`);
  }
  return models.filter((read) => found.get(read.model.name.toLowerCase()) === read);
}

function isIn(folder: string, file: string): boolean {
  return file.split("/").slice(0, -1).includes(folder);
}
