import { nearest } from "../../../kernel/text.ts";
import type { DateOffset, DateTokenNode, OffsetUnit, ParameterNode, Span } from "./ast.ts";
import { DATE_TOKENS } from "./date-tokens.ts";
import { queryError } from "./query-error.ts";

/** $c9_region$(West)$[Region]$: the default value and the label may be left out. */
const PARAMETER = /\$c9_(\w{1,100})\$(?:\(([^)]{0,1000})\)\$?)?(?:\[([^\]]{0,200})\]\$?)?/y;
/** $c9_today-7d+1h */
const TOKEN = /\$c9_(\w+)((?:\s*[+-]\s*\d{1,6}[hdwmqy](?!\w))*)/iy;
/** {$c9_today-7d:yyyyMMdd} */
const BRACED = /\{\s*(\$c9_\w+[^:{}]{0,200}?)\s*(?::([^{}]{0,200}))?\}/iy;
const OFFSET = /([+-])\s*(\d+)([hdwmqy])/gi;

/** The date token or run-time parameter at an offset of the text. */
export function readVariable(text: string, offset: number): DateTokenNode | ParameterNode | undefined {
  const character = text[offset];
  if (character === "{") return readBraced(text, offset);
  if (character !== "$" || !/^\$c9_/i.test(text.slice(offset, offset + 4))) return undefined;
  return readParameter(text, offset) ?? readToken(text, offset);
}

/** The variable that a whole text consists of: in a text, `'$c9_today'` means the token too. */
export function wholeVariable(text: string, span: Span): DateTokenNode | ParameterNode | undefined {
  const trimmed = text.trim();
  if (!/^\{?\s*\$c9_\w/i.test(trimmed)) return undefined;
  const variable = readVariable(trimmed, 0);
  return variable?.span.end === trimmed.length ? { ...variable, span } : undefined;
}

function readParameter(text: string, offset: number): ParameterNode | undefined {
  PARAMETER.lastIndex = offset;
  const found = PARAMETER.exec(text);
  if (found === null) return undefined;
  const [written, name, fallback, label] = found;
  return {
    kind: "parameter",
    name: name as string,
    ...(fallback === undefined ? {} : { fallback }),
    ...(label === undefined ? {} : { label }),
    span: { start: offset, end: offset + written.length },
  };
}

function readToken(text: string, offset: number): DateTokenNode {
  TOKEN.lastIndex = offset;
  const found = TOKEN.exec(text);
  const span = { start: offset, end: offset + (found?.[0].length ?? 4) };
  const name = found?.[1]?.toLowerCase() ?? "";
  if (found === null || !Object.hasOwn(DATE_TOKENS, name)) {
    const meant = nearest(name, Object.keys(DATE_TOKENS));
    throw queryError(text, span, {
      message: `there is no date token $c9_${name}.`,
      hint:
        meant === undefined
          ? `A run-time parameter ends in a dollar sign: $c9_${name || "name"}$.`
          : `Did you mean $c9_${meant}?`,
    });
  }
  return { kind: "token", name, offsets: offsetsIn(found[2] ?? ""), span };
}

function readBraced(text: string, offset: number): DateTokenNode | undefined {
  BRACED.lastIndex = offset;
  const found = BRACED.exec(text);
  if (found === null) return undefined;
  const span = { start: offset, end: offset + found[0].length };
  const inside = found[1] as string;
  const token = readToken(inside, 0);
  if (token.span.end !== inside.length) {
    throw queryError(text, span, {
      message: "this is no date token with a format.",
      hint: "Write it like {$c9_today-7d:yyyyMMdd}.",
    });
  }
  const format = found[2]?.trim();
  return { ...token, ...(format === undefined || format === "" ? {} : { format }), span };
}

function offsetsIn(text: string): DateOffset[] {
  return [...text.matchAll(OFFSET)].map(([, sign, digits, unit]) => ({
    // Adding 0 makes 0 of -0.
    amount: (sign === "-" ? -1 : 1) * Number(digits) + 0,
    unit: (unit as string).toLowerCase() as OffsetUnit,
  }));
}
