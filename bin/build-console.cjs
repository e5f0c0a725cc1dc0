"use strict";

// Builds the console (web/) before the server starts, in a process of its own, unless what was built last was made of
// the same files. When it cannot be built the server starts all the same.

const { spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { gzipSync } = require("node:zlib");

const ROOT = path.dirname(__dirname);
const WEB = path.join(ROOT, "web");
const BUILT = path.join(WEB, "dist");
/** Says what the built console was made of. */
const STAMP = path.join(BUILT, "stamp.json");
/** Smaller files gain nothing from being packed. */
const PACKED_FROM_BYTES = 1_024;

/** Resolves when the console is there, or cannot be built. */
async function buildConsole(node = process.execPath) {
  if (!fs.existsSync(path.join(WEB, "index.html"))) return;
  if (isFresh()) return;
  console.error("Building the console …");
  const started = Date.now();
  const said = await runBuild(node);
  if (said === null)
    console.error(`The console is built (${((Date.now() - started) / 1_000).toFixed(1)} s).`);
  else
    console.error(
      `${said}\nThe console could not be built, see above. The server starts without the new one.`,
    );
}

function isFresh() {
  try {
    const { hash, beside } = JSON.parse(fs.readFileSync(STAMP, "utf8"));
    return hash === hashOf(beside);
  } catch {
    return false;
  }
}

/** Of all files in web/, the lockfile, and what the console takes from outside of web/. */
function hashOf(beside) {
  const hash = createHash("sha256");
  const files = ["package-lock.json", ...beside, ...filesIn("web")];
  for (const file of files) {
    hash.update(`${file}\0`);
    hash.update(fs.readFileSync(path.join(ROOT, file)));
  }
  return hash.digest("hex");
}

function filesIn(folder) {
  const entries = fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return [file];
      return /^(dist.*|node_modules)$/.test(entry.name) ? [] : filesIn(file);
    });
}

/** Null when all went well, else what the build said. */
function runBuild(node) {
  const child = spawn(node, [__filename], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  child.stdout.on("data", (chunk) => said.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  const stop = () => child.kill();
  process.once("exit", stop);
  return new Promise((resolve) => {
    const end = (problem) => {
      process.off("exit", stop);
      resolve(problem);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code) => end(code === 0 ? null : Buffer.concat(said).toString().trim()));
  });
}

/** In the child: builds beside the old console and takes its place in one step. */
async function build() {
  const { build: viteBuild } = await import("vite");
  const hashBefore = hashOf([]);
  const outDir = path.join(WEB, `dist-${process.pid}`);
  try {
    const configFile = ["ts", "js", "mjs"]
      .map((ending) => path.join(WEB, `vite.config.${ending}`))
      .find(fs.existsSync);
    const output = await viteBuild({
      root: WEB,
      ...(configFile && { configFile }),
      base: "/console/",
      logLevel: "error",
      build: { outDir, emptyOutDir: true, assetsDir: "assets" },
    });
    if (hashOf([]) !== hashBefore) throw new Error("Files in web/ changed while they were built.");
    const beside = besideOf([output].flat());
    pack(path.join(outDir, "assets"));
    const files = fs.readdirSync(path.join(outDir, "assets"));
    keepFormer(path.join(outDir, "assets"), files);
    fs.writeFileSync(
      path.join(outDir, "stamp.json"),
      JSON.stringify({ hash: hashOf(beside), beside, files }),
    );
    fs.rmSync(BUILT, { recursive: true, force: true });
    fs.renameSync(outDir, BUILT);
  } finally {
    fs.rmSync(outDir, { recursive: true, force: true });
  }
}

/** Pages that are open go on with the scripts that they began with, until they are loaded again. */
function keepFormer(folder, files) {
  if (!fs.existsSync(STAMP)) return;
  const { files: former = [] } = JSON.parse(fs.readFileSync(STAMP, "utf8"));
  for (const name of former.filter((each) => !files.includes(each)))
    fs.copyFileSync(path.join(BUILT, "assets", name), path.join(folder, name));
}

/** Our own files outside of web/ that ended up in the console. */
function besideOf(outputs) {
  const ids = outputs.flatMap(({ output }) => output.flatMap((chunk) => chunk.moduleIds ?? []));
  const files = ids.map((id) => path.relative(ROOT, id.split("?")[0]).split(path.sep).join("/"));
  const isBeside = (file) => !/^(\.\.|web\/|\0)/.test(file) && !file.includes("node_modules/");
  return [...new Set(files)].filter((file) => isBeside(file) && fs.existsSync(path.join(ROOT, file))).sort();
}

/** The server sends what is packed here as it is. */
function pack(folder) {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    const bytes = fs.readFileSync(file);
    if (!/\.(js|css|svg|json|ttf)$/.test(name) || bytes.length < PACKED_FROM_BYTES) continue;
    fs.writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

module.exports = { buildConsole };
if (require.main === module)
  build().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
