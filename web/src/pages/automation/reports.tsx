import { Ellipsis, Plus, Send } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";
import { ScheduleDialog } from "../dashboards/sharing.tsx";
import { Deliveries } from "./deliveries.tsx";

interface Report {
  id: number;
  name: string;
  recipients: string[];
  webhooks: string[];
  channels: string[];
  format: string;
  dashboard_id: number | null;
  paused: boolean;
  next_run_at: string | null;
}

export function Reports() {
  const { slug, role } = useWorkspace();
  const [looked, setLooked] = useState<Report | null>(null);
  const [seen, setSeen] = useState<Report | null>(null);
  const [isNew, setNew] = useState(false);
  const { data, error } = useTool<{ total: number; reports: Report[] }>("list_reports", { limit: 200 });
  const again = () => refresh(queries, slug, ["list_reports", "list_deliveries"]);
  const run = async ({ id }: Report) => {
    const { message } = await callTool<{ message: string }>(slug, "run", { report_id: id });
    await again();
    told(message);
  };
  const pause = async ({ id, paused }: Report) => {
    await callTool(slug, "update_report", { report_id: id, paused: !paused });
    await again();
  };
  const remove = async ({ id, name }: Report) => {
    const asset = { asset_type: "report", asset_id: id };
    await callTool(slug, "delete_asset", { ...asset, confirm: true });
    await again();
    const undo = async () => {
      await callTool(slug, "restore_asset", asset);
      await again();
    };
    told(t`“${name}” is deleted.`, () => void undo().catch(toldError));
  };
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  const add = role !== "viewer" && (
    <Button
      look="primary"
      className="self-start"
      icon={<Plus className="size-4" />}
      onClick={() => setNew(true)}
    >
      {t`New report`}
    </Button>
  );
  const dialog = isNew && <ScheduleDialog onClose={() => setNew(false)} />;
  if (data.total === 0) {
    return (
      <>
        <Empty icon={<Send className="size-5" />} title={t`No reports yet`} action={add}>
          {t`A report sends a dashboard by mail, each day, week or month.`}
        </Empty>
        {dialog}
      </>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      {add}
      {dialog}
      <ul aria-label={t`Reports`} className="divide-y divide-line rounded-card border border-line bg-card">
        {data.reports.map((report) => (
          <li key={report.id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-60">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                {report.name} {report.paused && <Badge>{t`paused`}</Badge>}
              </p>
              <p className="truncate text-soft text-table">
                {[...report.recipients, ...report.channels, ...report.webhooks].join(", ")}
              </p>
            </div>
            {report.next_run_at !== null && !report.paused && (
              <span className="text-caption text-faint">
                {t`next`} <When at={report.next_run_at} />
              </span>
            )}
            <Menu
              trigger={
                <IconButton label={t`More about ${report.name}`}>
                  <Ellipsis className="size-4" />
                </IconButton>
              }
              entries={[
                { label: t`What was sent`, onSelect: () => setLooked(report) },
                ...(report.dashboard_id === null
                  ? []
                  : [{ label: t`See what is sent`, onSelect: () => setSeen(report) }]),
                ...(role === "viewer"
                  ? []
                  : [
                      { label: t`Send now`, onSelect: () => void run(report).catch(toldError) },
                      {
                        label: report.paused ? t`Go on` : t`Pause`,
                        onSelect: () => void pause(report).catch(toldError),
                      },
                      {
                        label: t`Delete`,
                        onSelect: () => void remove(report).catch(toldError),
                        danger: true,
                      },
                    ]),
              ]}
            />
          </li>
        ))}
      </ul>
      {seen !== null && (
        <Dialog open wide onClose={() => setSeen(null)} title={seen.name} about={t`As it would be sent now.`}>
          <img
            src={`/d/${seen.dashboard_id}/export?format=png`}
            alt={seen.name}
            className="w-full rounded-field border border-line"
          />
        </Dialog>
      )}
      {looked !== null && (
        <Dialog open wide onClose={() => setLooked(null)} title={looked.name}>
          <Deliveries of={{ report_id: looked.id }} />
        </Dialog>
      )}
    </div>
  );
}
