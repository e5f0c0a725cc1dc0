import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Background,
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  getStraightPath,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from "@xyflow/react";
import { useMemo } from "react";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { Skeleton } from "../../components/states.tsx";
import { useIsDark } from "../../frame/appearance.ts";
import { t } from "../../words/words.ts";
import type { MemoryDetails, Relations } from "./types.ts";
import "@xyflow/react/dist/style.css";

/** Around one memory a graph stays readable however many there are: its neighbours, and theirs. */
const MOST_NEAR = 14;
const MOST_FAR = 24;
const NEAR_PX = 230;
const FAR_PX = 430;

interface Link {
  from: string;
  to: string;
  type: string;
}

export function Graph({ id, title }: { id: string; title: string }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const isDark = useIsDark();
  const own = useRelations(slug, [id]);
  const near = neighbours(own, new Set([id])).slice(0, MOST_NEAR);
  const theirs = useRelations(slug, near);
  const far = neighbours(theirs, new Set([id, ...near])).slice(0, MOST_FAR);
  const shown = [id, ...near, ...far];
  const titles = useTitles(slug, shown.slice(1));
  const links = uniqueLinks(
    [...own, ...theirs].filter(({ from, to }) => shown.includes(from) && shown.includes(to)),
  );
  const { nodes, edges } = useMemo(
    () =>
      placed({ id, near, far, links, titleOf: (each) => (each === id ? title : (titles.get(each) ?? "…")) }),
    [id, near, far, links, title, titles],
  );
  if (own.length === 0 && near.length === 0)
    return (
      <p className="rounded-card border border-line border-dashed px-4 py-8 text-center text-soft">{t`It is not linked to anything yet.`}</p>
    );
  if (nodes.length < 2) return <Skeleton className="h-[420px]" />;
  return (
    <div
      className="h-[460px] overflow-hidden rounded-card border border-line bg-card"
      role="group"
      aria-label={t`Relations of ${title}`}
    >
      <ReactFlow
        key={nodes.length}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        colorMode={isDark ? "dark" : "light"}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
        minZoom={0.2}
        nodesConnectable={false}
        edgesFocusable={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, node) =>
          void navigate({ to: "/w/$slug/$page/$id", params: { slug, page: "memory", id: node.id } })
        }
      >
        <Background gap={20} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function useRelations(slug: string, ids: readonly string[]): Link[] {
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["tool", slug, "list_relations", id],
      queryFn: () => callTool<Relations>(slug, "list_relations", { memory_id: id }),
    })),
  });
  return results.flatMap(({ data }, at) => {
    const id = ids[at] as string;
    if (data === undefined) return [];
    return [
      ...data.outgoing
        .filter(({ inverse }) => !inverse)
        .map(({ to, rel_type: type }) => ({ from: id, to, type })),
      ...data.incoming
        .filter(({ inverse }) => !inverse)
        .map(({ from, rel_type: type }) => ({ from, to: id, type })),
    ];
  });
}

function useTitles(slug: string, ids: readonly string[]): Map<string, string> {
  const { data } = useQuery({
    queryKey: ["tool", slug, "get_memory", "titles", ...ids],
    queryFn: async () => {
      const found = await Promise.all(
        ids.map((id) =>
          callTool<MemoryDetails>(slug, "get_memory", { memory_id: id }).catch(() => undefined),
        ),
      );
      return new Map(
        found.flatMap((each, at) => (each === undefined ? [] : [[ids[at] as string, each.title] as const])),
      );
    },
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  });
  return data ?? NO_TITLES;
}

const NO_TITLES = new Map<string, string>();

function neighbours(links: readonly Link[], known: ReadonlySet<string>): string[] {
  return [...new Set(links.flatMap(({ from, to }) => [from, to]))].filter((id) => !known.has(id));
}

function uniqueLinks(links: readonly Link[]): Link[] {
  return [...new Map(links.map((link) => [`${link.from} ${link.to} ${link.type}`, link])).values()];
}

interface Placing {
  id: string;
  near: readonly string[];
  far: readonly string[];
  links: readonly Link[];
  titleOf: (id: string) => string;
}

/** Neighbours on a ring around it; theirs on a wider one, each at the side of the one it is linked to. */
function placed({ id, near, far, links, titleOf }: Placing): { nodes: Node[]; edges: Edge[] } {
  const angles = new Map(near.map((each, at) => [each, (2 * Math.PI * at) / near.length - Math.PI / 2]));
  const parentOf = (each: string) =>
    links
      .flatMap(({ from, to }) => (from === each ? [to] : to === each ? [from] : []))
      .find((other) => angles.has(other));
  const byParent = Map.groupBy(far, (each) => parentOf(each) ?? "");
  for (const [parent, children] of byParent) {
    const middle = angles.get(parent) ?? 0;
    const width = Math.min(0.5, (2 * Math.PI) / Math.max(1, far.length));
    children.forEach((each, at) => {
      angles.set(each, middle + (at - (children.length - 1) / 2) * width);
    });
  }
  const at = (each: string, radius: number) => {
    const angle = angles.get(each) ?? 0;
    return { x: Math.cos(angle) * radius * 1.25, y: Math.sin(angle) * radius * 0.8 };
  };
  const node = (each: string, position: { x: number; y: number }, rank: number): Node => ({
    id: each,
    type: "memory",
    position,
    data: { title: titleOf(each), rank },
    ariaLabel: titleOf(each),
  });
  return {
    nodes: [
      node(id, { x: 0, y: 0 }, 0),
      ...near.map((each) => node(each, at(each, NEAR_PX), 1)),
      ...far.map((each) => node(each, at(each, FAR_PX), 2)),
    ],
    edges: links.map(({ from, to, type }) => ({
      id: `${from} ${to} ${type}`,
      source: from,
      target: to,
      type: "relation",
      data: { name: type.toLowerCase().replaceAll("_", " ") },
    })),
  };
}

function MemoryNode({ data }: NodeProps<Node<{ title: string; rank: number }>>) {
  const looks = [
    "bg-accent text-on-accent border-transparent font-medium",
    "bg-raised border-edge",
    "bg-raised border-line text-soft text-caption",
  ];
  return (
    <div
      className={`max-w-44 -translate-x-1/2 -translate-y-1/2 truncate rounded-full border px-3 py-1 text-table ${looks[data.rank] ?? ""}`}
      title={data.title}
    >
      <Handle
        type="target"
        position={Position.Top}
        className="!invisible !top-1/2 !left-1/2"
        isConnectable={false}
      />
      {data.title}
      <Handle
        type="source"
        position={Position.Top}
        className="!invisible !top-1/2 !left-1/2"
        isConnectable={false}
      />
    </div>
  );
}

function RelationEdge({ id, sourceX, sourceY, targetX, targetY, data }: EdgeProps<Edge<{ name: string }>>) {
  const [path, x, y] = getStraightPath({ sourceX, sourceY, targetX, targetY });
  return (
    <>
      <BaseEdge id={id} path={path} style={{ stroke: "var(--color-faint)" }} />
      <EdgeLabelRenderer>
        <div
          className="pointer-events-none absolute rounded bg-card px-1 text-[10px] text-soft"
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {data?.name}
        </div>
      </EdgeLabelRenderer>
    </>
  );
}

const NODES = { memory: MemoryNode };
const EDGES = { relation: RelationEdge };
