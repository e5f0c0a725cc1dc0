import { BellRing, Ellipsis, Plus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import type { AlertList, DatasetList } from "../../api/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { Menu } from "../../components/menu.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { AlertSheet, Frequency } from "./alert.tsx";

type Alert = AlertList["alerts"][number];
const AGAIN_MS = 15_000;

export function Alerts() {
  const { slug, role } = useWorkspace();
  const [isNew, setNew] = useState(false);
  const [looked, setLooked] = useState<Alert | null>(null);
  const { data, error } = useTool<AlertList>("list_alerts", { limit: 200 }, { refetchMs: AGAIN_MS });
  const again = () => refresh(queries, slug, ["list_alerts"]);
  const pause = async (alert: Alert) => {
    await callTool(slug, "update_alert", { alert_id: alert.id, paused: alert.state !== "paused" });
    await again();
  };
  const test = async (alert: Alert) => {
    const { message } = await callTool<{ message: string }>(slug, "test_alert", { alert_id: alert.id });
    await refresh(queries, slug, ["list_deliveries"]);
    told(message);
  };
  const remove = async (alert: Alert) => {
    const asset = { asset_type: "alert", asset_id: alert.id };
    await callTool(slug, "delete_asset", { ...asset, confirm: true });
    await again();
    const undo = async () => {
      await callTool(slug, "restore_asset", asset);
      await again();
    };
    told(t`“${alert.name}” is deleted.`, () => void undo().catch(toldError));
  };
  const add = role !== "viewer" && (
    <Button
      look="primary"
      className="self-start"
      icon={<Plus className="size-4" />}
      onClick={() => setNew(true)}
    >
      {t`New alert`}
    </Button>
  );
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <div className="flex flex-col gap-3">
      {data.total === 0 ? (
        <Empty icon={<BellRing className="size-5" />} title={t`No alerts yet`} action={add}>
          {t`An alert tells somebody when rows of a dataset match a condition, or when it was not updated.`}
        </Empty>
      ) : (
        <>
          {add}
          <ul aria-label={t`Alerts`} className="divide-y divide-line rounded-card border border-line bg-card">
            {data.alerts.map((alert) => (
              <li key={alert.id} className="flex flex-wrap items-center gap-3 px-4 py-2.5 hover:bg-hover">
                <button
                  type="button"
                  onClick={() => setLooked(alert)}
                  className="min-w-0 flex-1 basis-60 rounded-field text-left"
                >
                  <span className="flex flex-wrap items-center gap-2 font-medium">
                    {alert.name} <State state={alert.state} />
                  </span>
                  <span className="block text-soft text-table">{alert.last_error ?? alert.sentence}</span>
                </button>
                <span className="text-caption text-faint">
                  {t`since`} <When at={alert.state_since} />
                </span>
                <Menu
                  trigger={
                    <IconButton label={t`More about ${alert.name}`}>
                      <Ellipsis className="size-4" />
                    </IconButton>
                  }
                  entries={[
                    { label: t`Open`, onSelect: () => setLooked(alert) },
                    ...(role === "viewer"
                      ? []
                      : [
                          { label: t`Check now`, onSelect: () => void test(alert).catch(toldError) },
                          {
                            label: alert.state === "paused" ? t`Go on` : t`Pause`,
                            onSelect: () => void pause(alert).catch(toldError),
                          },
                          {
                            label: t`Delete`,
                            onSelect: () => void remove(alert).catch(toldError),
                            danger: true,
                          },
                        ]),
                  ]}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {isNew && <NewAlert onClose={() => setNew(false)} />}
      {looked !== null && <AlertSheet id={looked.id} name={looked.name} onClose={() => setLooked(null)} />}
    </div>
  );
}

function State({ state }: Pick<Alert, "state">) {
  const [tone, name] = (
    {
      ok: ["good", t`quiet`],
      pending: ["warn", t`may fire`],
      firing: ["bad", t`fires`],
      recovering: ["warn", t`calms down`],
      error: ["bad", t`cannot be checked`],
      paused: ["plain", t`paused`],
    } as const
  )[state];
  return <Badge tone={tone}>{name}</Badge>;
}

function NewAlert({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const datasets = useTool<DatasetList>("list_datasets", { limit: 200 });
  const [form, setForm] = useState({
    name: "",
    dataset: "",
    type: "conditional",
    condition: "",
    recipients: "",
    frequency: "hours",
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
    const { name, dataset, type, condition, recipients, frequency } = form;
    const wish = { name, dataset_id: Number(dataset), type, recipients, frequency };
    try {
      const made = await callTool<{ matches_now: number | null; past_firings: number | null }>(
        slug,
        "create_alert",
        {
          ...wish,
          ...(type === "conditional" && { condition }),
        },
      );
      await refresh(queries, slug, ["list_alerts"]);
      told(
        made.matches_now === null
          ? t`The alert watches from now on.`
          : t`The alert watches from now on; ${number(made.matches_now)} rows match at the moment.`,
      );
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  const isWhole =
    form.name !== "" && form.dataset !== "" && (form.type !== "conditional" || form.condition !== "");
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`New alert`}
      footer={
        <Button look="primary" disabled={!isWhole || isBusy} onClick={() => void save()}>
          {t`Watch it`}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <SelectField label={t`Data`} value={form.dataset} onChange={set("dataset")}>
          <option value="">{t`Choose a dataset`}</option>
          {datasets.data?.datasets.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label={t`Tell when`} value={form.type} onChange={set("type")}>
          <option value="conditional">{t`rows match a condition`}</option>
          <option value="data_not_updated">{t`it was not updated`}</option>
          <option value="query_error">{t`its query fails`}</option>
        </SelectField>
        {form.type === "conditional" && (
          <TextField
            label={t`Condition`}
            value={form.condition}
            onChange={set("condition")}
            placeholder="revenue < 1000"
            hint={t`In words or as a comparison; the answer says how it was read.`}
          />
        )}
        <TextField label={t`Name`} value={form.name} onChange={set("name")} />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={t`To`}
            value={form.recipients}
            onChange={set("recipients")}
            placeholder="ada@example.com"
          />
          <Frequency value={form.frequency} onChange={set("frequency")} />
        </div>
      </div>
    </Dialog>
  );
}
