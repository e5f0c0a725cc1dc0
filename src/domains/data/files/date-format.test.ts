import { expect, it } from "vitest";
import { dateFormatOf } from "./import-file.ts";

it.each([
  ["DD/MM/YYYY", "%d/%m/%Y"],
  ["MM/dd/yyyy", "%m/%d/%Y"],
  ["d.M.yy HH:mm:ss", "%d.%m.%y %H:%M:%S"],
  ["MMM D, YYYY h:mm A", "%b %d, %Y %I:%M %p"],
  ["YYYY-MM-DDTHH:mm", "%Y-%m-%dT%H:%M"],
  ["%d-%b-%y", "%d-%b-%y"],
])("%s", (text, format) => expect(dateFormatOf(text)).toBe(format));

it.each(["day first", "31.12.2024", "QQ/YYYY"])("refuses %s", (text) => {
  expect(() => dateFormatOf(text)).toThrow(/not known/);
});
