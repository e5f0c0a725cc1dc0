import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineResource } from "../define.ts";
import { PICTURE_APP } from "./show-picture.ts";

const script = readFileSync(join(import.meta.dirname, "picture-app.js"), "utf8");
const style = readFileSync(join(import.meta.dirname, "picture-app.css"), "utf8");
const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Pictures have styles of their own, as attributes; no script runs but the one that is here. */
const policy = `default-src 'none'; script-src ${hash(script)}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chart</title>
<style>${style}</style>
</head>
<body>
<main id="picture" hidden></main>
<div id="tip" role="status" hidden></div>
<script>${script}</script>
</body>
</html>
`;

/** The page that shows the picture of an answer inside a client, by the extension of MCP for apps. It loads nothing. */
export const pictureApp = defineResource({
  uri: { all: PICTURE_APP, agent: PICTURE_APP },
  name: "chart",
  title: "Chart",
  description: "The page that shows the chart of an answer",
  mimeType: "text/html;profile=mcp-app",
  permission: "data_agent:read",
  toolset: "models",
  within: [],
  isForApps: true,
  async read() {
    const csp = { connectDomains: [], resourceDomains: [], frameDomains: [] };
    return {
      mimeType: "text/html;profile=mcp-app",
      text: page,
      _meta: { ui: { csp, prefersBorder: true } },
    };
  },
});
