import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import type { AlertList } from "../../api/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Drawing } from "../../components/drawing.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { told } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { exactTime, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { Deliveries } from "./deliveries.tsx";

interface AlertDetails {
  id: number;
  name: string;
  type: string;
  condition: string | null;
  sentence: string | null;
  recipients?: string[];
  frequency: string;
  state: AlertList["alerts"][number]["state"];
  checked_at: string | null;
  history: { at: string; happening: string; rows: number | null; summary: string | null }[];
}

/** One alert: what became of it, what was sent, and how it is set. */
export function AlertSheet({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const { role } = useWorkspace();
  const [tab, setTab] = useState("history");
  const asked = { asset_type: "alert", asset_id: id };
  const { data, error } = useTool<{ details: AlertDetails }>("get_details", asked);
  const details = data?.details;
  return (
    <Dialog open side onClose={onClose} title={name} about={details?.sentence ?? undefined}>
      {error !== null && <ErrorNote error={error} />}
      {details === undefined && error === null && <Waiting />}
      {details !== undefined && (
        <Tabs
          label={t`About this alert`}
          value={tab}
          onChange={setTab}
          tabs={[
            { id: "history", label: t`History`, content: <History alert={details} /> },
            { id: "sent", label: t`What was sent`, content: <Deliveries of={{ alert_id: id }} /> },
            ...(role === "viewer"
              ? []
              : [{ id: "edit", label: t`Change`, content: <Edit alert={details} onClose={onClose} /> }]),
          ]}
        />
      )}
    </Dialog>
  );
}

function History({ alert: { history, checked_at: checked } }: { alert: AlertDetails }) {
  const counted = history.filter(({ rows }) => rows !== null).toReversed();
  return (
    <div className="flex flex-col gap-4">
      {checked !== null && (
        <p className="text-soft text-table">
          {t`Last checked`} <When at={checked} />
        </p>
      )}
      {counted.length > 1 && (
        <Drawing
          label={t`Rows that matched`}
          height={200}
          chart={{
            type: "bar",
            title: "",
            xAxisLabel: "",
            yAxisLabel: t`Rows that matched`,
            categories: counted.map(({ at }) => exactTime(at)),
            series: [{ label: t`Rows that matched`, data: counted.map(({ rows }) => rows) }],
          }}
        />
      )}
      {history.length === 0 ? (
        <p className="text-soft">{t`It has been quiet since it was made.`}</p>
      ) : (
        <ol className="divide-y divide-line rounded-card border border-line">
          {history.map(({ at, happening, rows, summary }) => (
            <li key={`${at} ${happening}`} className="flex flex-col gap-0.5 px-3 py-2 text-table">
              <span className="flex items-center justify-between gap-3">
                <Happening of={happening} />
                <span className="text-caption text-faint">
                  {rows !== null && `${rows === 1 ? t`1 row` : t`${number(rows)} rows`} · `}
                  <When at={at} />
                </span>
              </span>
              {summary !== null && <span className="text-soft">{summary}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Happening({ of }: { of: string }) {
  const names: Record<string, [tone: "good" | "bad" | "warn", name: string]> = {
    fired: ["bad", t`fired`],
    changed: ["warn", t`other rows`],
    recovered: ["good", t`calm again`],
    error: ["bad", t`could not be checked`],
    repaired: ["good", t`can be checked again`],
  };
  const [tone, name] = names[of] ?? (["warn", of] as const);
  return <Badge tone={tone}>{name}</Badge>;
}

function Edit({ alert, onClose }: { alert: AlertDetails; onClose: () => void }) {
  const { slug } = useWorkspace();
  const [form, setForm] = useState({
    name: alert.name,
    condition: alert.condition ?? "",
    recipients: (alert.recipients ?? []).join(", "),
    frequency: alert.frequency,
  });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const set =
    (name: keyof typeof form) =>
    ({ target }: { target: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: target.value }));
  const save = async () => {
    setBusy(true);
    setError(null);
    const { name, condition, recipients, frequency } = form;
    try {
      await callTool(slug, "update_alert", {
        ...{ alert_id: alert.id, name, recipients, frequency },
        ...(alert.condition !== null && condition !== alert.condition && { condition }),
      });
      await refresh(queries, slug, ["list_alerts", "get_details"]);
      told(t`Saved.`);
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {error !== null && <ErrorNote error={error} />}
      <TextField label={t`Name`} value={form.name} onChange={set("name")} />
      {alert.condition !== null && (
        <TextField label={t`Condition`} value={form.condition} onChange={set("condition")} />
      )}
      <TextField label={t`To`} value={form.recipients} onChange={set("recipients")} />
      <Frequency value={form.frequency} onChange={set("frequency")} />
      <Button
        type="submit"
        look="primary"
        className="self-start"
        disabled={isBusy || form.name.trim() === ""}
      >
        {t`Save`}
      </Button>
    </form>
  );
}

export function Frequency({
  value,
  onChange,
}: {
  value: string;
  onChange: (event: { target: { value: string } }) => void;
}) {
  return (
    <SelectField label={t`Checked`} value={value} onChange={onChange}>
      <option value="minutes">{t`Every minute`}</option>
      <option value="hours">{t`Every hour`}</option>
      <option value="days">{t`Every day`}</option>
      <option value="months">{t`Every month`}</option>
    </SelectField>
  );
}
