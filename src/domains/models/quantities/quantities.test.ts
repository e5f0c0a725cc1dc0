import { describe, expect, it } from "vitest";
import { measureOf, type Unit, unitCalled, unitsPer } from "./quantities.ts";

describe("what a number measures, by its name", () => {
  it.each([
    ["Weight_in_lbs", "weight", "lb"],
    ["Body Mass (g)", "weight", "g"],
    ["flipper_length_mm", "length", "mm"],
    ["temp_min", "temperature", undefined],
    ["Temp °C", "temperature", "°C"],
    ["Betrag (EUR)", "money", "€"],
    ["Cost Total $", "money", "$"],
    ["Dauer [min]", "duration", "min"],
    ["Lieferdauer (Tage)", "duration", "days"],
    ["hours_worked", "duration", "h"],
    ["Laufleistung km", "distance", "km"],
    ["km", "distance", "km"],
    ["Stückpreis", "money", undefined],
    ["price per kg", "money", undefined],
    ["salary_share", "share", undefined],
    ["discount_pct", "share", "%"],
    ["floor square feet", "area", "sq ft"],
    ["land_square_miles", "area", "sq mi"],
  ])("%s", (name, quantity, sign) => {
    const found = measureOf(name);
    expect([found?.quantity, found?.unit?.sign]).toEqual([quantity, sign]);
  });

  it.each(["miles_per_gallon", "size_m", "vitamin_c", "hour", "day", "min", "order_number"])(
    "is nothing of %s",
    (name) => expect(measureOf(name)).toBeUndefined(),
  );

  it("goes by what is said of it, and counts one unit in another", () => {
    const floor = measureOf("floor", "Sales floor in sqm")?.unit as Unit;
    expect(unitsPer(unitCalled("ha") as Unit, floor)).toBe(10_000);
    expect(unitsPer(unitCalled("kg") as Unit, measureOf("body_mass_g")?.unit as Unit)).toBe(1_000);
    expect(unitsPer(unitCalled("celsius") as Unit, unitCalled("fahrenheit") as Unit)).toBeUndefined();
  });
});
