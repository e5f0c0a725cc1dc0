/** A widget as `create_dashboard` takes it, on a dataset by its name. */
interface WidgetWish {
  name: string;
  on: string;
  chart_type: string;
  x_axis?: string;
  y_axis?: readonly string[];
  group_by?: string;
  options?: object;
  /** Column, row, width and height. */
  at: readonly [col: number, row: number, sizeX: number, sizeY: number];
}

export interface DashboardWish {
  name: string;
  description: string;
  filters: readonly object[];
  widgets: readonly WidgetWish[];
}

const EUR = { format: "money:EUR" };
const LAST_YEAR = "where order_date >= $c9_today-12m";

/** One for each audience, with every type of chart once at least. */
export const DASHBOARDS: readonly DashboardWish[] = [
  {
    name: "How is business going?",
    description: "For everybody: orders and revenue of the last three years.",
    filters: [
      { field: "country", label: "Country", operator: "in" },
      { field: "sales_channel", label: "Sold through", operator: "in" },
    ],
    widgets: [
      {
        name: "How much did we sell last month?",
        on: "orders",
        chart_type: "singletext",
        x_axis: "order_date",
        y_axis: ["revenue"],
        options: { ...EUR, grain: "month" },
        at: [1, 1, 8, 6],
      },
      {
        name: "How many orders were that?",
        on: "orders",
        chart_type: "singletext",
        x_axis: "order_date",
        options: { aggregate: "count", grain: "month" },
        at: [9, 1, 8, 6],
      },
      {
        name: "How far are we this year?",
        on: "orders",
        chart_type: "gauge",
        y_axis: ["revenue"],
        options: { ...EUR, target: 17_000_000, c9ql: "where order_date >= $c9_thisyear" },
        at: [17, 1, 8, 6],
      },
      {
        name: "Where is it sold?",
        on: "orders",
        chart_type: "donut",
        x_axis: "sales_channel",
        y_axis: ["revenue"],
        options: { ...EUR, c9ql: LAST_YEAR },
        at: [17, 7, 8, 8],
      },
      {
        name: "How does revenue develop?",
        on: "orders",
        chart_type: "area",
        x_axis: "order_date",
        y_axis: ["revenue"],
        group_by: "category",
        options: { ...EUR, grain: "month" },
        at: [1, 7, 16, 8],
      },
      {
        name: "What stands out?",
        on: "orders",
        chart_type: "recommendation",
        x_axis: "order_date",
        y_axis: ["revenue"],
        options: { ...EUR, grain: "month" },
        at: [17, 23, 8, 9],
      },
      {
        name: "Which countries grow, which shrink?",
        on: "orders",
        chart_type: "line",
        x_axis: "order_date",
        y_axis: ["revenue"],
        group_by: "country",
        options: { ...EUR, grain: "quarter" },
        at: [1, 15, 12, 8],
      },
      {
        name: "What sells best in the last 12 months?",
        on: "orders",
        chart_type: "bar",
        x_axis: "product",
        y_axis: ["revenue"],
        options: { ...EUR, c9ql: LAST_YEAR },
        at: [13, 15, 12, 8],
      },
      {
        name: "What does each product earn in the last 12 months?",
        on: "orders",
        chart_type: "datagrid2",
        options: {
          c9ql: `select product as Product, category as Category, sum(quantity) as Units, sum(revenue) as Revenue EUR, sum(revenue) - sum(cost) as Gross profit EUR ${LAST_YEAR} group by product, category order by Revenue EUR desc`,
        },
        at: [1, 23, 16, 9],
      },
    ],
  },
  {
    name: "What does our marketing bring in?",
    description: "For marketing: what is spent, and the way from a visit to an order.",
    filters: [{ field: "channel", label: "Channel", operator: "in" }],
    widgets: [
      {
        name: "What do we spend, and on what?",
        on: "marketing",
        chart_type: "line",
        x_axis: "day",
        y_axis: ["spend"],
        group_by: "channel",
        options: { ...EUR, grain: "month" },
        at: [1, 1, 16, 8],
      },
      {
        name: "Where does the money go?",
        on: "marketing",
        chart_type: "pie",
        x_axis: "channel",
        y_axis: ["spend"],
        options: { ...EUR, c9ql: "where day >= $c9_today-12m" },
        at: [17, 1, 8, 8],
      },
      {
        name: "How do visits become orders (last 30 days)?",
        on: "web_funnel",
        chart_type: "funnel",
        x_axis: "stage",
        y_axis: ["people"],
        options: { sort: "given", c9ql: "where day >= $c9_today-30d order by stage" },
        at: [1, 9, 12, 8],
      },
      {
        name: "Does more spending bring more test rides?",
        on: "marketing",
        chart_type: "scatter",
        x_axis: "Spend",
        y_axis: ["Test rides"],
        options: {
          c9ql: "select date_trunc(day, week) as Week, sum(spend) as Spend, sum(test_rides_booked) as Test rides group by Week",
        },
        at: [13, 9, 12, 8],
      },
      {
        name: "What does a test ride cost us?",
        on: "marketing",
        chart_type: "column",
        x_axis: "Channel",
        y_axis: ["Euros a test ride"],
        options: {
          ...EUR,
          c9ql: "select channel as Channel, sum(spend) / sum(test_rides_booked) as Euros a test ride where day >= $c9_today-12m group by channel",
        },
        at: [1, 17, 24, 7],
      },
    ],
  },
  {
    name: "Are our customers happy?",
    description: "For the support team: what people ask, when, and how content they are.",
    filters: [{ field: "topic", label: "Topic", operator: "in" }],
    widgets: [
      {
        name: "How content are people?",
        on: "support_tickets",
        chart_type: "singletext",
        x_axis: "opened_on",
        y_axis: ["satisfaction"],
        options: { aggregate: "avg", grain: "month" },
        at: [1, 1, 6, 5],
      },
      {
        name: "Hours until we reply?",
        on: "support_tickets",
        chart_type: "singletext",
        x_axis: "opened_on",
        y_axis: ["first_reply_hours"],
        options: { aggregate: "avg", grain: "month" },
        at: [7, 1, 6, 5],
      },
      {
        name: "How many write to us each week?",
        on: "support_tickets",
        chart_type: "line",
        x_axis: "opened_on",
        options: { aggregate: "count", grain: "week", c9ql: "where opened_on >= $c9_today-12m" },
        at: [13, 1, 12, 8],
      },
      {
        name: "What is it about (last 12 months)?",
        on: "support_tickets",
        chart_type: "treemap",
        x_axis: "product",
        group_by: "topic",
        options: { aggregate: "count", c9ql: "where opened_on >= $c9_today-12m" },
        at: [1, 6, 12, 11],
      },
      {
        name: "When do they need us?",
        on: "support_tickets",
        chart_type: "heatmap",
        x_axis: "hour",
        group_by: "weekday",
        options: { aggregate: "count", sort: "x" },
        at: [13, 9, 12, 8],
      },
    ],
  },
];
