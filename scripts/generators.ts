import { renderConfigurationDoc } from "./configuration-doc.ts";
import { renderTools } from "./tools-doc.ts";

/** A committed file that is made from the code; a test fails when it is out of date. */
interface Generator {
  /** From the root of the project. */
  path: string;
  render(): string | Promise<string>;
}

export const GENERATORS: readonly Generator[] = [
  { path: "docs/configuration.md", render: renderConfigurationDoc },
  { path: "docs/tools.md", render: renderTools },
];
