import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from "@xyflow/react";
import { useMemo } from "react";
import { cx } from "../../components/classes.ts";
import { useIsDark } from "../../frame/appearance.ts";
import { t } from "../../words/words.ts";
import type { Dataset, Model } from "./source.ts";
import "@xyflow/react/dist/style.css";

const COLUMN_PX = 330;
const GAP_PX = 28;
const LINE_PX = 22;
const HEAD_PX = 40;
const MOST_FIELDS = 12;

/** Tables from left to right, as their relations go from many to one. */
export function Diagram({ model }: { model: Model }) {
  const isDark = useIsDark();
  const { nodes, edges } = useMemo(() => placed(model), [model]);
  return (
    <div
      className="h-[min(680px,70vh)] overflow-hidden rounded-card border border-line bg-card"
      role="group"
      aria-label={t`Diagram`}
    >
      <ReactFlow
        key={model.datasets.map(({ name }) => name).join()}
        defaultNodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        colorMode={isDark ? "dark" : "light"}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        minZoom={0.15}
        nodesConnectable={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function placed({ datasets, relationships, metrics }: Model): { nodes: Node[]; edges: Edge[] } {
  const depthOf = depths(datasets, relationships);
  const heights = new Map<number, number>();
  const nodes = datasets.map((dataset): Node => {
    const depth = depthOf.get(dataset.name) ?? 0;
    const y = heights.get(depth) ?? 0;
    heights.set(
      depth,
      y + HEAD_PX + Math.min(dataset.fields.length, MOST_FIELDS + 1) * LINE_PX + 14 + GAP_PX,
    );
    const measures = metrics.filter(
      ({ expression }) => expression.includes(`${dataset.name}.`) || expression.includes(`"${dataset.name}"`),
    ).length;
    return {
      id: dataset.name,
      type: "dataset",
      position: { x: depth * COLUMN_PX, y },
      data: { dataset, measures },
      ariaLabel: dataset.name,
    };
  });
  const edges = relationships.map(
    ({ name, from, to, fromColumns }): Edge => ({
      id: name,
      source: from,
      target: to,
      label: fromColumns.join(", "),
      markerEnd: { type: MarkerType.ArrowClosed },
      labelStyle: { fill: "var(--color-soft)", fontSize: 11 },
      labelBgStyle: { fill: "var(--color-card)" },
      style: { stroke: "var(--color-faint)" },
    }),
  );
  return { nodes, edges };
}

/** How many relations lead to a table, at most; rings end somewhere. */
function depths(datasets: readonly Dataset[], relationships: Model["relationships"]): Map<string, number> {
  const depth = new Map(datasets.map(({ name }) => [name, 0]));
  for (let round = 0; round < datasets.length; round += 1) {
    let isSettled = true;
    for (const { from, to } of relationships) {
      const least = (depth.get(from) ?? 0) + 1;
      if (from === to || least > datasets.length || (depth.get(to) ?? 0) >= least) continue;
      depth.set(to, least);
      isSettled = false;
    }
    if (isSettled) break;
  }
  return depth;
}

function DatasetNode({ data }: NodeProps<Node<{ dataset: Dataset; measures: number }>>) {
  const { dataset, measures } = data;
  const shown = dataset.fields.slice(0, MOST_FIELDS);
  return (
    <div className="w-60 rounded-card border border-edge bg-raised text-caption">
      <Handle
        type="target"
        position={Position.Left}
        className="!size-1.5 !border-0 !bg-edge"
        isConnectable={false}
      />
      <div className="flex items-center justify-between gap-2 border-line border-b px-3 py-2">
        <span className="truncate font-semibold text-table">{dataset.name}</span>
        {measures > 0 && <span className="shrink-0 text-accent">{t`${measures} measures`}</span>}
      </div>
      <ul className="py-1.5">
        {shown.map(({ name, role }) => (
          <li key={name} className="flex h-[22px] items-center justify-between gap-3 px-3">
            <span className={cx("truncate", dataset.keys.includes(name) && "font-semibold")}>{name}</span>
            <span className="text-faint">
              {role === "time" ? t`time` : role === "dimension" ? t`name` : ""}
            </span>
          </li>
        ))}
        {dataset.fields.length > MOST_FIELDS && (
          <li className="px-3 text-faint">{t`and ${dataset.fields.length - MOST_FIELDS} more`}</li>
        )}
      </ul>
      <Handle
        type="source"
        position={Position.Right}
        className="!size-1.5 !border-0 !bg-edge"
        isConnectable={false}
      />
    </div>
  );
}

const NODES = { dataset: DatasetNode };
