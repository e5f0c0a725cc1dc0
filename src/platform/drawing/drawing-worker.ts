/** Runs in a thread of its own and draws: ECharts is large, and a chart with many points takes it some time. */
import { AppError } from "../../kernel/errors.ts";
import { answerQuestions } from "../workers/index.ts";
import { countValues } from "./chart.ts";
import { drawingOf, type Subject } from "./drawing.ts";
import { measure } from "./fonts.ts";
import { type HtmlTable, htmlTableOf } from "./html-table.ts";
import { LIMITS } from "./limits.ts";
import type { Look } from "./look.ts";
import { type Picture, pictureOf } from "./render-svg.ts";
import { type Sheet, sheetOf } from "./sheet.ts";
import { wordsIn } from "./text.ts";

// The second wall: whatever else gets past `revive` fails here instead of changing what others are drawn.
// ECharts keeps widths of texts in plain objects: a label `__proto__` must be one of their keys, not their prototype.
Reflect.deleteProperty(Object.prototype, "__proto__");
Object.freeze(Object.prototype);

export type DrawingQuestion =
  | { subject: Subject; looks: Look[] }
  | { sheet: Sheet }
  | { each: { subject: Subject; look: Look }[] }
  | { table: HtmlTable; locale: string };

export interface DrawingAnswer {
  pictures: Picture[];
  /** Of several subjects: those that could not be drawn have a reason in their place. */
  each?: (Picture | { failure: string })[];
  /** Why some of a sheet could not be drawn. */
  failures?: string[];
  /** Of a table. */
  html?: string;
}

answerQuestions<DrawingQuestion, DrawingAnswer>((question) => {
  if ("table" in question) return { pictures: [], html: htmlTableOf(question.table, question.locale) };
  if ("each" in question) return { pictures: [], each: question.each.map(drawnOrNot) };
  if ("sheet" in question) {
    const failures: string[] = [];
    const draw = (subject: Subject, look: Look) => {
      const picture = drawnOrNot({ subject, look });
      if (!("failure" in picture)) return picture;
      failures.push(picture.failure);
      const t = wordsIn(look.locale);
      return pictureOf({ kind: "empty", title: titleOf(subject), why: t`This could not be drawn.` }, look);
    };
    return { pictures: [sheetOf(question.sheet, draw, measure)], failures };
  }
  const { subject, looks } = question;
  return { pictures: looks.map((look) => pictureOf(toDrawing(subject, look), look)) };
});

/** One that cannot be drawn does not take the others with it. */
function drawnOrNot({ subject, look }: { subject: Subject; look: Look }): Picture | { failure: string } {
  try {
    return pictureOf(toDrawing(subject, look), look);
  } catch (error) {
    return { failure: String(error) };
  }
}

function titleOf(subject: Subject): string {
  return (subject.kind === "spec" ? subject.chart.title : subject.title) ?? "";
}

function toDrawing(subject: Subject, look: Look) {
  if (subject.kind !== "spec") return subject;
  const { values } = LIMITS.drawing;
  if (countValues(subject.chart) > values)
    throw new AppError("too_large", `A chart can have ${values} values, and this one has more.`);
  return drawingOf(subject.chart, look, measure);
}
