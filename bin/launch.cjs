"use strict";

// What `npm start`, `npm test` and `bin/kenning` begin with. It must run on Node 18 with nothing installed, so
// it is plain JavaScript on built-in modules: it installs what the lockfile asks for and hands over to Node 24.

const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { isatty } = require("node:tty");
const { pathToFileURL } = require("node:url");
const { buildConsole } = require("./build-console.cjs");

const ROOT = path.dirname(__dirname);
const MAIN = path.join(ROOT, "src/app/main.ts");
const LOCKFILE = path.join(ROOT, "package-lock.json");
const INSTALLED = path.join(ROOT, "node_modules/.package-lock.json");

/** The first release that strips types without a warning and has `crypto.argon2`. */
const NODE_WANTED = { major: 24, minor: 7 };

const LOCK_BEAT_MS = 1_000;
const LOCK_STALE_MS = 60_000;

const CHECKS = [
  { title: "Types", script: "typescript/bin/tsc", args: ["--noEmit"] },
  {
    title: "Types of the console",
    script: "typescript/bin/tsc",
    args: ["--noEmit", "-p", "web/tsconfig.json"],
  },
  { title: "Lint", script: "@biomejs/biome/bin/biome", args: ["check", "."] },
  { title: "Dead code", script: "knip/bin/knip.js", args: [] },
];

/** What some tests need from the system. */
const DEBIAN_PACKAGES = [
  { name: "chromium", program: "/usr/bin/chromium" },
  { name: "mariadb-server", program: "/usr/sbin/mariadbd" },
  { name: "poppler-utils", program: "/usr/bin/pdftotext" },
  { name: "redis-server", program: "/usr/bin/redis-server" },
];

/** An expected end: a sentence for the user, and the code or signal to end with. */
class Stop extends Error {
  constructor(sentence, result = { code: 1, signal: null }) {
    super(sentence);
    this.result = result;
  }
}

/** `bin/kenning ARGS`: in this process, or in one child if this Node is too old. */
async function kenning(args) {
  await install({ withDev: false });
  if (isNewEnough(process.versions.node)) {
    if (args[0] === "serve") await buildConsole();
    return enter(args);
  }
  // By the channel the child learns of the end of this process, however that comes about.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  end(await run(findNode(), [path.join(__dirname, "kenning"), ...args], { stdio }));
}

/** `npm test`, `npm run check`, …: the tools of development. */
async function develop([name, ...args]) {
  await install({ withDev: true });
  const command = COMMANDS[name];
  if (command === undefined) throw new Stop(`Name a command: ${Object.keys(COMMANDS).join(", ")}.`);
  await command(args);
}

const COMMANDS = {
  async test(args) {
    const forVitest = args.filter((arg) => arg !== "--long");
    const env = args.includes("--long") ? { ...process.env, KENNING_TEST_LONG: "1" } : process.env;
    if (forVitest.length === 0) {
      await COMMANDS.check();
      await installDebianPackages();
    }
    // Before any test starts a server: several would each build it.
    await buildConsole(findNode());
    console.log("\n== Tests");
    end(await runTool("vitest/vitest.mjs", ["run", ...forVitest], env));
  },

  async check() {
    for (const { title, script, args } of CHECKS) {
      const start = Date.now();
      console.log(`\n== ${title}`);
      const result = await runTool(script, args);
      if (result.code !== 0) throw new Stop(`${title}: failed.`, result);
      console.log(`${title}: passed in ${((Date.now() - start) / 1_000).toFixed(1)} s.`);
    }
  },

  async generate(args) {
    end(await run(findNode(), ["scripts/generate.ts", ...args], { cwd: ROOT }));
  },

  async bench(args) {
    await runWorkshop("bench", "a benchmark", args);
  },

  async train(args) {
    await runWorkshop("train", "what is to be learned", args);
  },
};

/** One of the programs in `bench/` that end in such a word. */
async function runWorkshop(ending, what, [name, ...args]) {
  const names = fs
    .readdirSync(path.join(ROOT, "bench"))
    .flatMap((file) => (file.endsWith(`.${ending}.ts`) ? [file.slice(0, -`.${ending}.ts`.length)] : []));
  if (!names.includes(name)) throw new Stop(`Name ${what} (npm run ${ending} -- NAME): ${names.join(", ")}.`);
  end(await run(findNode(), [`bench/${name}.${ending}.ts`, ...args], { cwd: ROOT }));
}

/** Only on Debian and as root; elsewhere the tests that miss something are listed as not run. */
async function installDebianPackages() {
  const missing = DEBIAN_PACKAGES.filter(({ program }) => !fs.existsSync(program)).map(({ name }) => name);
  const isPossible = fs.existsSync("/etc/debian_version") && process.getuid?.() === 0;
  if (missing.length === 0 || !isPossible) return;
  console.log(`\n== Debian packages for tests: ${missing.join(", ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing], { env });
}

function runTool(script, args, env = process.env) {
  return run(findNode(), [path.join(ROOT, "node_modules", script), ...args], { cwd: ROOT, env });
}

/** Hands over to the application inside this process. */
async function enter(args) {
  stopWithLauncher();
  require("./load-quickly.cjs");
  process.argv = [process.execPath, MAIN, ...args];
  await import(pathToFileURL(MAIN).href);
}

/** A launcher that was killed could not pass that on. */
function stopWithLauncher() {
  if (process.channel === undefined) return;
  const stop = () => process.kill(process.pid, "SIGTERM");
  if (!process.connected) return stop();
  process.once("disconnect", stop);
  process.channel.unref();
}

/** Installs the locked versions unless they are there. A package that npm unpacked has no lockfile: npm did this. */
async function install({ withDev }) {
  if (!fs.existsSync(LOCKFILE) || missingPackages(withDev).length === 0) return;
  const unlock = await lockInstall();
  try {
    if (missingPackages(withDev).length === 0) return;
    console.error("Installing dependencies; this may take a minute …");
    // npm writes this file last: while it is missing, an installation that broke off is not taken for a whole one.
    fs.rmSync(INSTALLED, { force: true });
    await npmInstall(withDev, process.env);
    // With the lockfile every Node gets the same versions, but npm leaves out optional packages that do not name
    // the Node it runs on. So an old Node installs Node 24, and Node 24 the rest: seconds, as there is little.
    if (!isNewEnough(process.versions.node)) await npmInstall(withDev, environmentWith(findNode()));
    const [first] = missingPackages(withDev);
    if (first !== undefined)
      throw new Stop(`npm did not install ${first}: remove node_modules and start again.`);
  } finally {
    unlock();
  }
}

/** The packages of the lockfile that are not installed in their version, by path. */
function missingPackages(withDev) {
  if (!fs.existsSync(INSTALLED)) return ["node_modules"];
  const { packages: installed } = JSON.parse(fs.readFileSync(INSTALLED, "utf8"));
  const { "": _project, ...locked } = JSON.parse(fs.readFileSync(LOCKFILE, "utf8")).packages;
  const isMissing = ([where, { version, dev, optional, devOptional }]) => {
    if (installed[where] !== undefined) return installed[where].version !== version;
    return !optional && !devOptional && (withDev || !dev);
  };
  return Object.entries(locked)
    .filter(isMissing)
    .map(([where]) => where);
}

/** Runs npm, and shows what it says only if it fails. */
async function npmInstall(withDev, env) {
  // `npm ci` refuses a lockfile that lacks an optional package of any platform. Install scripts are run by npm 10
  // and not by npm 11; nothing here needs them, so none are run and both install the same.
  const flags = "--no-save --no-audit --no-fund --ignore-scripts --include=optional --loglevel=error";
  const command = `npm install ${flags}${withDev ? " --include=dev" : ""}`;
  const log = path.join(ROOT, "node_modules/.kenning-install.log");
  const output = fs.openSync(log, "w");
  const result = await run(command, [], { cwd: ROOT, env, shell: true, stdio: ["ignore", output, output] });
  fs.closeSync(output);
  const said = fs.readFileSync(log, "utf8");
  fs.rmSync(log);
  if (result.signal !== null) throw new Stop("The installation was interrupted.", result);
  if (result.code !== 0)
    throw new Stop(`${said}The dependencies could not be installed, see above: ${command}`);
}

/** An environment in which `npm` runs on another Node, but with the settings of the machine's own. */
function environmentWith(node) {
  const PATH = path.dirname(node) + path.delimiter + process.env.PATH;
  // npm looks for the machine's settings beside the Node it runs on, unless this names the place.
  const PREFIX = path.dirname(path.dirname(process.execPath));
  return { PREFIX, ...process.env, PATH };
}

/** Lets one launch at a time run npm. Returns what gives the lock back. */
async function lockInstall() {
  const lock = path.join(ROOT, "node_modules/.kenning-install.lock");
  for (let hasWaited = false; !(await takeLock(lock)); hasWaited = true) {
    if (!hasWaited) console.error("Another start is installing the dependencies: waiting for it …");
    await sleep(LOCK_BEAT_MS / 4);
    if (isAbandoned(lock)) fs.rmSync(lock, { force: true });
  }
  const beat = setInterval(() => fs.utimes(lock, new Date(), new Date(), () => {}), LOCK_BEAT_MS);
  return () => {
    clearInterval(beat);
    fs.rmSync(lock, { force: true });
  };
}

async function takeLock(lock) {
  try {
    fs.mkdirSync(path.dirname(lock), { recursive: true });
    fs.writeFileSync(lock, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new Stop(`The dependencies could not be installed: ${error.message}`);
  }
  // Two that find the same abandoned lock may both remove it and take it; after a moment one of them holds it.
  await sleep(100);
  return fs.readFileSync(lock, "utf8") === String(process.pid);
}

/** By its process, or by its last beat: a process id may have gone to another process since. */
function isAbandoned(lock) {
  try {
    if (Date.now() - fs.statSync(lock).mtimeMs > LOCK_STALE_MS) return true;
    const pid = Number(fs.readFileSync(lock, "utf8"));
    return pid !== 0 && !process.kill(pid, 0);
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** This Node if it will do, else the one among the dependencies, else one that is installed. */
function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const [system, binary] = process.platform === "win32" ? ["win", "node.exe"] : [process.platform, "node"];
  try {
    const manifest = require.resolve(`node-${system}-${process.arch}/package.json`);
    return path.join(path.dirname(manifest), "bin", binary);
  } catch {
    const { stdout } = spawnSync("node", ["-p", "process.versions.node"], { encoding: "utf8" });
    if (isNewEnough(stdout ?? "")) return "node";
    const wanted = `${NODE_WANTED.major}.${NODE_WANTED.minor}`;
    throw new Stop(
      `Kenning needs Node ${wanted} or newer and brings none for ${system}-${process.arch} (this is Node ` +
        `${process.versions.node}): install Node ${NODE_WANTED.major} so that "node" starts it, and try again.`,
    );
  }
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > NODE_WANTED.major || (major === NODE_WANTED.major && minor >= NODE_WANTED.minor);
}

/** Runs a child on this terminal until it ends; what asks this process to stop is passed on to it. */
function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  // A terminal sends these to both of us, and twice would mean "at once" to the server.
  const isTerminal = [0, 1, 2].some(isatty);
  const passOn = (signal) => (signal === "SIGTERM" || !isTerminal) && child.kill(signal);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Stop(`${command} could not be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      for (const name of signals) process.off(name, passOn);
      resolve({ code, signal });
    });
  });
}

/** Ends this process as its child ended. */
function end({ code, signal }) {
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}

function launch(work) {
  work.catch((error) => {
    if (!(error instanceof Stop)) throw error;
    console.error(error.message);
    end(error.result);
  });
}

module.exports = { kenning: (args) => launch(kenning(args)) };
if (require.main === module) launch(develop(process.argv.slice(2)));
