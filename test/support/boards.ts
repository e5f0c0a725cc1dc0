import { makeDataset, resultOf } from "./datasets.ts";
import { startTestServer, type TestServer } from "./server.ts";

export interface MadeDashboard {
  dashboard_id: number;
  version: number;
  url: string;
  widgets: { widget_id: number; name: string; chart_type: string; place: Record<string, number> | null }[];
  moved?: number[];
}

export interface Boards {
  server: TestServer;
  admin: string;
  /** A contributor, who owns what is made by `make`. */
  editor: string;
  viewer: string;
  /** An admin of another workspace. */
  stranger: string;
  datasetId: number;
  call<T = Record<string, unknown>>(name: string, args: object, token?: string): Promise<T>;
  /** A dashboard with a column chart and a number. */
  make(more?: object): Promise<MadeDashboard>;
  stop(): Promise<void>;
}

const SALES = [
  { day: "2026-01-05", region: "North", product: "Pen", units: 10, revenue: 100.5, price: 10 },
  { day: "2026-01-20", region: "South", product: "Ink", units: 20, revenue: 250, price: 12 },
  { day: "2026-02-03", region: "North", product: "Ink", units: 5, revenue: 60, price: 11 },
  { day: "2026-03-09", region: "East", product: "Pad", units: 1, revenue: 9.5, price: 9.5 },
];

/** A server with a dataset of sales, and somebody in every role. */
export async function startBoards(options: Parameters<typeof startTestServer>[0] = {}): Promise<Boards> {
  const server = await startTestServer(options);
  await server.app.identity.workspaces.create({ slug: "other" });
  const [admin, editor, viewer, stranger] = [
    await server.token(),
    await server.token({ role: "contributor" }),
    await server.token({ role: "viewer" }),
    await server.token({ workspace: "other" }),
  ];
  const datasetId = await makeDataset(server, editor, "Sales", SALES);
  const call: Boards["call"] = (name, args, token = editor) =>
    resultOf(server, token, name, args as Record<string, unknown>);
  const make = (more: object = {}) =>
    call<MadeDashboard>("create_dashboard", {
      name: "Overview",
      widgets: [
        { name: "Revenue by region", dataset_id: datasetId, x_axis: "region", y_axis: ["revenue"] },
        { name: "Units", dataset_id: datasetId, chart_type: "singletext", y_axis: ["units"] },
      ],
      ...more,
    });
  return { server, admin, editor, viewer, stranger, datasetId, call, make, stop: () => server.stop() };
}
