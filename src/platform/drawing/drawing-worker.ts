/** Runs in a thread of its own and draws: ECharts is large, and a chart with many points takes it some time. */
import { AppError } from "../../kernel/errors.ts";
import { answerQuestions } from "../threads/index.ts";
import { countValues } from "./chart.ts";
import { drawingOf, type Subject } from "./drawing.ts";
import { measure } from "./font-metrics.ts";
import { LIMITS } from "./limits.ts";
import type { Look } from "./look.ts";
import { pngOf } from "./render-png.ts";
import { type Picture, pictureOf } from "./render-svg.ts";
import { type Sheet, sheetOf } from "./sheet.ts";

// The second wall: whatever else gets past `revive` fails here instead of changing what others are drawn.
Object.freeze(Object.prototype);

export type DrawingQuestion =
  | { subject: Subject; looks: Look[]; isPng: boolean; fontFolders: readonly string[] }
  | { sheet: Sheet; fontFolders: readonly string[] }
  | { each: { subject: Subject; look: Look }[] };

export interface DrawingAnswer {
  pictures: Picture[];
  /** Of the first one. */
  png?: Uint8Array;
  /** Whether there was a font for all that is written in it. */
  hasAllGlyphs?: boolean;
  /** Of several subjects: those that could not be drawn have a reason in their place. */
  each?: (Picture | { failure: string })[];
}

answerQuestions<DrawingQuestion, DrawingAnswer>((question) => {
  if ("sheet" in question) {
    const picture = sheetOf(
      question.sheet,
      (subject, look) => pictureOf(toDrawing(subject, look), look),
      measure,
    );
    return { pictures: [], ...pngOf(picture, question.sheet, question.fontFolders) };
  }
  if ("each" in question) return { pictures: [], each: question.each.map(drawnOrNot) };
  const { subject, looks, isPng, fontFolders } = question;
  const pictures = looks.map((look) => pictureOf(toDrawing(subject, look), look));
  const [first, look] = [pictures[0], looks[0]];
  if (!isPng || first === undefined || look === undefined) return { pictures };
  return { pictures, ...pngOf(first, look, fontFolders) };
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
