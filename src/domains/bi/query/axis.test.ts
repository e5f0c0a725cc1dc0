import { expect, it } from "vitest";
import { byCalendar, momentOf } from "./axis.ts";

it.each([
  ["2019-03-17", "2019-03-17T00:00:00.000Z"],
  ["2019-03-17 05:06:07", "2019-03-17T05:06:07.000Z"],
  ["2019-03-17 05:06:07.125+02", "2019-03-17T05:06:07.125Z"],
  ["2019-03-17T05:06:07Z", "2019-03-17T05:06:07.000Z"],
  ["2019-03-17 05:06:07-07:30", "2019-03-17T05:06:07.000Z"],
])("reads %s by its own clock", (text, iso) => expect(new Date(momentOf(text) ?? 0).toISOString()).toBe(iso));

it.each([["x"], [""], ["2019-13-45"], ["12"], [5], [null]])("takes %j for no date", (value) =>
  expect(momentOf(value)).toBeUndefined(),
);

it("puts months and days of the week in their order, in full or cut off", () => {
  expect(byCalendar(["Sat", "Sun", "Thur", "Fri"])).toEqual(["Thur", "Fri", "Sat", "Sun"]);
  expect(byCalendar(["Sept.", "Jan.", "Dec."])).toEqual(["Jan.", "Sept.", "Dec."]);
  expect(byCalendar(["Dezember", "März"])).toEqual(["März", "Dezember"]);
  expect(byCalendar(["Mars", "Jan"])).toEqual(["Mars", "Jan"]);
});
