export const LIMITS = {
  insights: {
    /** Insights about one widget. */
    perWidget: 5,
    /** Insights about one dashboard or dataset. */
    perDashboard: 10,
    /** Widgets of a dashboard that are looked at. */
    widgets: 40,
    /** Numbers of one widget that are looked at. */
    measures: 3,
    /** Fewest periods of a series that anything is said about. */
    leastPoints: 12,
    /** Most periods of a series that is looked at; of longer times, longer periods are. */
    points: 400,
    /** Fields by which a change is taken apart. */
    dimensions: 6,
    /** Most values of such a field. */
    segments: 50,
    /** Parts of a number by one field, the largest, that are looked at one by one. */
    parts: 12,
    /** Insights that a widget of recommendations shows. */
    shown: 3,
  },
} as const;
