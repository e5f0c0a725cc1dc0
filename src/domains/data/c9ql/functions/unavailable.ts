/**
 * Functions that C9QL knows and Kenning does not have yet. They are read like any other, so that whoever adds one
 * moves its line from here into the table of its kind.
 */
export const UNAVAILABLE: Readonly<Record<string, string>> = {
  accumulate: "a running total",
  growth: "the growth from row to row",
  delta: "the difference from row to row",
  cma: "a cumulative moving average",
  sma: "a simple moving average",
  tma: "a moving average over time",
  lag: "the value of an earlier row",
  transpose: "rows as columns",
  reverse_transpose: "columns as rows",
  forecast: "a forecast",
  arima: "a forecast",
  linear_regression: "a forecast",
  expand_arrays_with_defaults: "several lists as rows, with defaults",
};
