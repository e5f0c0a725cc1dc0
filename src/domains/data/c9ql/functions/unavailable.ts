/**
 * Functions that C9QL knows and Kenning does not have yet. They are read like any other, so that whoever adds one
 * moves its line from here into the table of its kind.
 */
export const UNAVAILABLE: Readonly<Record<string, string>> = {
  forecast: "a forecast",
  arima: "a forecast",
};
