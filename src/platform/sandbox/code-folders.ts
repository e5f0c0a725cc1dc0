import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";

/**
 * The folders that hold code, for Node's permission model: not the whole project, in which there may be
 * settings and data.
 */
export function codeFolders(modulePath: string): string[] {
  const root = packageRoot(import.meta.dirname);
  const outer = root.lastIndexOf(`${sep}node_modules${sep}`);
  const folders = ["package.json", "src", "dist", "node_modules"].map((name) => join(root, name));
  // Installed as a package, our dependencies lie beside us.
  if (outer !== -1) folders.push(root.slice(0, outer + `${sep}node_modules`.length));
  return [...folders.filter((folder) => existsSync(folder)), dirname(modulePath)];
}

function packageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) throw new Error(`there is no package.json above ${start}`);
  }
}
