import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ApiError, callTool, readSession, type Session, type Workspace } from "./client.ts";

const FRESH_MS = 20_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0),
    },
  },
});

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});

export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (data === undefined) throw new Error("the session is read before any page is shown");
  return data;
}

/** The workspace that the address names. */
export function useWorkspace(): Workspace {
  const { slug } = useParams({ strict: false }) as { slug?: string };
  const { workspaces } = useSession();
  const found = workspaces.find((each) => each.slug === slug) ?? workspaces[0];
  return found ?? { slug: slug ?? "", name: slug ?? "", role: "viewer", hasContent: false };
}

interface ToolQuery {
  enabled?: boolean;
  /** What was shown stays until the new comes, for lists that are filtered. */
  keep?: boolean;
  refetchMs?: number;
}

/** Reads by a tool; the answer is kept for all who ask the same. */
export function useTool<T>(
  tool: string,
  args: object = {},
  options: ToolQuery = {},
): UseQueryResult<T, Error> {
  const { slug } = useWorkspace();
  return useQuery<T, Error>({
    queryKey: ["tool", slug, tool, args],
    queryFn: ({ signal }) => callTool<T>(slug, tool, args, { signal }),
    enabled: options.enabled ?? true,
    ...(options.keep && { placeholderData: keepPreviousData as never }),
    ...(options.refetchMs !== undefined && { refetchInterval: options.refetchMs }),
  });
}

export function refresh(client: QueryClient, slug: string, tools: readonly string[]): Promise<unknown> {
  return Promise.all(tools.map((tool) => client.invalidateQueries({ queryKey: ["tool", slug, tool] })));
}
