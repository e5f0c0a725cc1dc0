import { AppError } from "../../../../../kernel/errors.ts";
import type { ZipErrors } from "../../../../../platform/files/index.ts";

export function damaged(cause?: unknown): AppError {
  return new AppError("bad_request", "The Excel file is damaged or cut off.", {
    hint: "Open it in a spreadsheet program, save it again, and send it whole.",
    cause,
  });
}

export const EXCEL_ERRORS: ZipErrors = {
  damaged,
  tooLarge: (what) =>
    new AppError("too_large", `The Excel file ${what}.`, {
      hint: "Save only the sheet that is needed, or as CSV.",
    }),
  locked: () =>
    new AppError("unsupported", "The Excel file has a password.", { hint: "Save it without one." }),
};
