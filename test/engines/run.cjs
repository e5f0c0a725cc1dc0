/** Brings engines that are too large for everybody, and runs the tests that want them: npm run test:engines. */
const { spawnSync } = require("node:child_process");
const { mkdirSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const CHDB = "chdb@3.4.0";
const folder = join(tmpdir(), "kenning-engines");
mkdirSync(folder, { recursive: true });
const run = (command, args, options) => {
  const { status } = spawnSync(command, args, { stdio: "inherit", ...options });
  if (status !== 0) process.exit(status ?? 1);
};
run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, CHDB], { cwd: folder });
const root = join(__dirname, "..", "..");
run(process.execPath, [join(root, "bin", "launch.cjs"), "test", "test/engines"], {
  cwd: root,
  env: { ...process.env, KENNING_TEST_ENGINES: folder },
});
