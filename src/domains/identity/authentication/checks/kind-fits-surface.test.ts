import { expect, test } from "vitest";
import { circumstancesWith, grantWith } from "../../../../../test/support/grants.ts";
import { SURFACES, type SurfaceName, TOKEN_KINDS, type TokenKind } from "../../../../registry/caller.ts";
import { kindFitsSurface } from "./kind-fits-surface.ts";

const EVERYWHERE: readonly SurfaceName[] = ["bi", "agent", "memory", "models", "knowledge", "all"];

/** Written out once more, by hand: the rules' own table cannot test itself. */
const GOOD_ON: Record<TokenKind, readonly SurfaceName[]> = {
  api: EVERYWHERE,
  mcp: EVERYWHERE,
  bearer: EVERYWHERE,
  oauth: EVERYWHERE,
  memory: ["memory", "all"],
  knowledge: ["knowledge", "all"],
  operator: [],
};

const table = TOKEN_KINDS.flatMap((kind) =>
  SURFACES.map((surface) => ({
    kind,
    surface,
    reason: GOOD_ON[kind].includes(surface) ? null : "wrong_kind",
  })),
);

test.for(table)("$kind on $surface: $reason", ({ kind, surface, reason }) => {
  expect(kindFitsSurface(grantWith({ token: { kind } }), circumstancesWith({ surface }))).toBe(reason);
});
