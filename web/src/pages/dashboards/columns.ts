import { useQueries } from "@tanstack/react-query";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import type { DatasetDetails } from "../../api/tools.ts";
import type { BoardDetails } from "./types.ts";

/** The columns that the widgets of a dashboard draw from. */
export function useBoardColumns({ widgets }: Pick<BoardDetails, "widgets">): string[] {
  const { slug } = useWorkspace();
  const ids = [...new Set(widgets.flatMap(({ dataset_id: id }) => id ?? []))];
  const results = useQueries({
    queries: ids.map((id) => {
      const asked = { asset_type: "dataset", asset_id: id };
      return {
        queryKey: ["tool", slug, "get_details", asked],
        queryFn: () => callTool<DatasetDetails>(slug, "get_details", asked),
      };
    }),
  });
  return [...new Set(results.flatMap(({ data }) => data?.details.columns.map(({ name }) => name) ?? []))];
}
