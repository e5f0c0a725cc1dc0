import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";

interface Delivery {
  delivery_id: number;
  channel: string;
  target: string;
  state: "waiting" | "sent" | "dead";
  tries: number;
  error: string | null;
  subject: string;
  created_at: string;
}

/** What was sent to whom, and what did not arrive. */
export function Deliveries({ of = {} }: { of?: { alert_id?: number; report_id?: number } }) {
  const { slug, role } = useWorkspace();
  const { data, error } = useTool<{ deliveries: Delivery[] }>("list_deliveries", { limit: 100, ...of });
  const retry = async (delivery_id: number) => {
    await callTool(slug, "retry_delivery", { delivery_id });
    await refresh(queries, slug, ["list_deliveries"]);
  };
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  if (data.deliveries.length === 0) return <Empty title={t`Nothing was sent yet`} />;
  const states = {
    sent: ["good", t`sent`],
    waiting: ["warn", t`waits for another try`],
    dead: ["bad", t`given up`],
  } as const;
  return (
    <ul aria-label={t`Deliveries`} className="divide-y divide-line rounded-card border border-line bg-card">
      {data.deliveries.map(
        ({ delivery_id: id, subject, target, channel, state, error: problem, created_at: at }) => (
          <li key={id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-60">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                {subject} <Badge tone={states[state][0]}>{states[state][1]}</Badge>
              </p>
              <p className="text-soft text-table">
                {channel}: {target}
              </p>
              {problem !== null && <p className="text-caption text-bad">{problem}</p>}
            </div>
            <span className="text-caption text-faint">
              <When at={at} />
            </span>
            {state === "dead" && role !== "viewer" && (
              <Button small onClick={() => void retry(id).catch(toldError)}>
                {t`Try again`}
              </Button>
            )}
          </li>
        ),
      )}
    </ul>
  );
}
