/** Runs in a thread of its own and draws: ECharts is large, and a chart with many points takes it some time. */
import { AppError } from "../../kernel/errors.ts";
import { answerQuestions } from "../threads/index.ts";
import { countValues } from "./chart.ts";
import { drawingOf, type Subject } from "./drawing.ts";
import { measure } from "./font-metrics.ts";
import { type HtmlTable, htmlTableOf } from "./html-table.ts";
import { LIMITS } from "./limits.ts";
import type { Look } from "./look.ts";
import { type Picture, pictureOf } from "./render-svg.ts";
import { type Sheet, sheetOf } from "./sheet.ts";

// The second wall: whatever else gets past `revive` fails here instead of changing what others are drawn.
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
  /** Of a table. */
  html?: string;
}

answerQuestions<DrawingQuestion, DrawingAnswer>((question) => {
  if ("table" in question) return { pictures: [], html: htmlTableOf(question.table, question.locale) };
  if ("each" in question) return { pictures: [], each: question.each.map(drawnOrNot) };
  if ("sheet" in question) {
    const draw = (subject: Subject, look: Look) => pictureOf(toDrawing(subject, look), look);
    return { pictures: [sheetOf(question.sheet, draw, measure)] };
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

function toDrawing(subject: Subject, look: Look) {
  if (subject.kind !== "spec") return subject;
  const { values } = LIMITS.drawing;
  if (countValues(subject.chart) > values)
    throw new AppError("too_large", `A chart can have ${values} values, and this one has more.`);
  return drawingOf(subject.chart, look, measure);
}
