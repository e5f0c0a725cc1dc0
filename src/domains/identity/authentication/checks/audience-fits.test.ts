import { expect, test } from "vitest";
import { circumstancesWith, grantWith } from "../../../../../test/support/grants.ts";
import { APP_URL } from "../../../../../test/support/identity.ts";
import { audienceFits } from "./audience-fits.ts";

test.for([
  { audience: null, fits: true },
  { audience: [`${APP_URL}/mcp`], fits: true },
  { audience: [APP_URL], fits: true },
  { audience: ["https://elsewhere.test", `${APP_URL}/mcp`], fits: true },
  { audience: [], fits: false },
  { audience: [`${APP_URL}/mcp/`], fits: false },
  { audience: [`${APP_URL}/mcp/acme/mcp`], fits: false },
  { audience: [`${APP_URL}/mc`], fits: false },
  { audience: [`${APP_URL}/`], fits: false },
  { audience: [`${APP_URL}.evil.test`], fits: false },
  { audience: [`${APP_URL.toUpperCase()}/MCP`], fits: false },
  { audience: [""], fits: false },
])("a token for $audience on /mcp: $fits", ({ audience, fits }) => {
  const grant = grantWith({ token: { kind: "oauth", audience } });
  expect(audienceFits(grant, circumstancesWith())).toBe(fits ? null : "wrong_audience");
});
