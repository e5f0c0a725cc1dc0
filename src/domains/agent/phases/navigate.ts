import { type Compiled, compile } from "../compile/compile.ts";
import { CompileError } from "../compile/compile-error.ts";
import { averagedOver } from "../explain/averaged.ts";
import { LIMITS } from "../limits.ts";
import type { Schema } from "../query/schema.ts";
import type { Reading } from "../understand/reading.ts";
import { rivalsOf } from "./plan.ts";

/** A reading with its way through the model: datasets, relationships, dates. */
export interface Route {
  reading: Reading;
  compiled: Compiled;
}

export interface Routes {
  /** The best reading that the model can carry, and its rivals. */
  routes: Route[];
  /** Why others cannot be carried. */
  obstacles: string[];
}

/** The Navigator: which readings the model's relationships can carry, and how. */
export function navigate(readings: readonly Reading[], schema: Schema, isSettled: boolean): Routes {
  const routes: Route[] = [];
  const obstacles: string[] = [];
  for (const reading of readings) {
    // Enough to compare; whatever comes later is worse.
    if (routes.length === (isSettled ? 1 : LIMITS.agent.rivals)) break;
    try {
      const compiled = compile(schema, reading.ask);
      routes.push({ reading: told(reading, compiled, schema), compiled });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      obstacles.push(error.message);
    }
  }
  const rivals = rivalsOf(routes.map(({ reading }) => reading));
  return { routes: routes.filter(({ reading }) => rivals.includes(reading)), obstacles };
}

function told(reading: Reading, { used }: Compiled, schema: Schema): Reading {
  const averaged = averagedOver(used.averages, schema);
  if (averaged.length === 0) return reading;
  return { ...reading, assumptions: [...reading.assumptions, ...averaged] };
}
