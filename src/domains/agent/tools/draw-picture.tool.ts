import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { jsonSize } from "../../../kernel/json.ts";
import { type Subject, subjectShape } from "../../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../../platform/drawing/limits.ts";
import { defineTool } from "../define.ts";
import { themedPicture } from "../picture/show-picture.ts";

const { leastPx, mostPx, subjectCharacters } = DRAWING.drawing;
const pixels = z.int().min(leastPx).max(mostPx);

/** Lets the page that shows a picture have it drawn for its own size and language. It reads nothing of the workspace. */
export const drawPicture = defineTool({
  name: "draw_picture",
  toolset: "models",
  title: "Draw a picture again",
  description: "For the chart page alone: draws the picture of an answer again, in another size.",
  permission: "data_agent:read",
  effect: "read",
  within: [],
  isForApps: true,
  input: z.strictObject({
    subject: z.record(z.string(), z.unknown()).describe("As the page was given it"),
    width: pixels,
    height: pixels.optional(),
    locale: z.string().max(35).optional(),
  }),
  output: z.object({
    width: z.int(),
    height: z.int(),
    light: z.string(),
    dark: z.string(),
    hover: z.record(z.string(), z.unknown()).nullable(),
  }),
  content: () => "Drawn.",

  async run({ subject, width, height, locale }, { drawings, caller, signal }) {
    // Checked before anything looks into it.
    if (jsonSize(subject, subjectCharacters) > subjectCharacters)
      throw new AppError(
        "too_large",
        `A picture can be made of ${subjectCharacters} characters of JSON at most.`,
      );
    const parsed = subjectShape.safeParse(subject);
    if (!parsed.success) {
      const where = parsed.error.issues[0]?.path.join(".") ?? "";
      throw new AppError("bad_request", `subject is nothing that can be drawn${where && `: see ${where}`}.`, {
        hint: "Send it as it came with the answer.",
      });
    }
    const look = { width, ...(height !== undefined && { height }), ...(locale !== undefined && { locale }) };
    return themedPicture(parsed.data as Subject, look, { drawings, caller, signal });
  },
});
