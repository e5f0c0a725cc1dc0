import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import type { DashboardList } from "../../api/tools.ts";
import { Button } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { Empty, ErrorNote } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";
import type { BoardDetails } from "./types.ts";

interface SharingProps {
  board: BoardDetails;
  onClose: () => void;
}

/** A form in a dialog: what goes wrong stands above it, and nothing typed is lost. */
export function useSaving(save: () => Promise<void>, onClose: () => void) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    setError(null);
    save()
      .then(onClose)
      .catch((problem: unknown) => {
        setError(problem);
        setBusy(false);
      });
  };
  return { error, isBusy, run };
}

export function ShareDialog({ board, onClose }: SharingProps) {
  const { slug } = useWorkspace();
  const [shared, setShared] = useState<string>(board.access.shared ?? "edit");
  const { error, isBusy, run } = useSaving(async () => {
    const access = { ...board.access, shared };
    await callTool(slug, "update_dashboard", { dashboard_id: board.id, access });
    await refresh(queries, slug, ["get_details"]);
    told(t`Saved.`);
  }, onClose);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Share`}
      about={t`Everybody sees only the rows that policies let them see.`}
      footer={
        <Button look="primary" disabled={isBusy} onClick={run}>
          {t`Save`}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <SelectField
          label={t`In this workspace`}
          value={shared}
          onChange={({ target }) => setShared(target.value)}
        >
          <option value="edit">{t`All may see and change it`}</option>
          <option value="view">{t`All may see it`}</option>
          <option value="private">{t`Only I and admins`}</option>
        </SelectField>
        <CopyField label={t`Link for members`} text={`${location.origin}/w/${slug}/dashboards/${board.id}`} />
      </div>
    </Dialog>
  );
}

interface Embed {
  embed_id: number;
  dashboard_id: number | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

export function EmbedDialog({ board, onClose }: SharingProps) {
  const { slug } = useWorkspace();
  const [days, setDays] = useState("30");
  const [made, setMade] = useState<{ url: string; html: string } | null>(null);
  const { data } = useTool<{ embeds: Embed[] }>("list_embeds", { limit: 200 });
  const own = data?.embeds.filter(({ dashboard_id: id }) => id === board.id) ?? [];
  const make = async () => {
    const wish = { dashboard_id: board.id, ...(days !== "" && { expires_in_days: Number(days) }) };
    setMade(await callTool<{ url: string; html: string }>(slug, "get_embed_url", wish));
    await refresh(queries, slug, ["list_embeds"]);
  };
  const revoke = async (embed_id: number) => {
    await callTool(slug, "revoke_embed", { embed_id });
    await refresh(queries, slug, ["list_embeds"]);
    told(t`The link works no more.`);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Embed`}
      about={t`Whoever has the link sees this dashboard with your rights, also inside other pages.`}
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-end gap-3">
          <SelectField label={t`Works for`} value={days} onChange={({ target }) => setDays(target.value)}>
            <option value="1">{t`a day`}</option>
            <option value="30">{t`30 days`}</option>
            <option value="365">{t`a year`}</option>
            <option value="">{t`as long as nobody revokes it`}</option>
          </SelectField>
          <Button look="primary" onClick={() => void make().catch(toldError)}>
            {t`Make link`}
          </Button>
        </div>
        {made !== null && (
          <>
            <p className="text-soft">{t`It is shown now and never again.`}</p>
            <CopyField label={t`Link`} text={made.url} />
            <CopyField label={t`For a page`} text={made.html} />
          </>
        )}
        {own.length > 0 && (
          <ul
            aria-label={t`Links that work`}
            className="divide-y divide-line rounded-card border border-line"
          >
            {own.map(({ embed_id: id, created_at: at, last_used_at: used }) => (
              <li key={id} className="flex items-center justify-between gap-3 px-3 py-2 text-table">
                <span>
                  {t`made`} <When at={at} />
                  <span className="block text-caption text-faint">
                    {used === null ? t`never used` : t`last used`} <When at={used} />
                  </span>
                </span>
                <Button small look="danger" onClick={() => void revoke(id).catch(toldError)}>
                  {t`Revoke`}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

/** Without a dashboard, one is chosen first. */
export function ScheduleDialog({
  board,
  onClose,
}: Partial<Pick<SharingProps, "board">> & Pick<SharingProps, "onClose">) {
  const { slug } = useWorkspace();
  const all = useTool<DashboardList>("list_dashboards", { limit: 100 }, { enabled: board === undefined });
  const [chosen, choose] = useState("");
  const target = board ?? all.data?.dashboards.find(({ id }) => `${id}` === chosen);
  const [form, setForm] = useState({ recipients: "", frequency: "weeks", time: "08:00", format: "pdf" });
  const { error, isBusy, run } = useSaving(async () => {
    const { recipients, frequency, time, format } = form;
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const when = { frequency, start_time: time, timezone, format };
    const what = { dashboard_id: target?.id, name: target?.name };
    await callTool(slug, "create_report", { ...what, recipients, ...when });
    await refresh(queries, slug, ["list_reports"]);
    told(t`It is sent from now on. Automation shows when.`);
  }, onClose);
  const set =
    (name: keyof typeof form) =>
    ({ target }: { target: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: target.value }));
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Send regularly`}
      about={t`What you may see of it, by mail, at its time.`}
      footer={
        <Button
          look="primary"
          disabled={isBusy || form.recipients.trim() === "" || target === undefined}
          onClick={run}
        >
          {t`Save`}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        {board === undefined && (
          <SelectField
            label={t`Dashboard`}
            value={chosen}
            onChange={({ target: { value } }) => choose(value)}
          >
            <option value="">{t`Choose a dashboard`}</option>
            {all.data?.dashboards.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          label={t`To`}
          value={form.recipients}
          onChange={set("recipients")}
          placeholder="ada@example.com, ben@example.com"
        />
        <div className="grid grid-cols-3 gap-3">
          <SelectField label={t`How often`} value={form.frequency} onChange={set("frequency")}>
            <option value="days">{t`Every day`}</option>
            <option value="weeks">{t`Every week`}</option>
            <option value="months">{t`Every month`}</option>
          </SelectField>
          <TextField label={t`At`} type="time" value={form.time} onChange={set("time")} />
          <SelectField label={t`As`} value={form.format} onChange={set("format")}>
            <option value="pdf">PDF</option>
            <option value="image">{t`Picture`}</option>
          </SelectField>
        </div>
      </div>
    </Dialog>
  );
}

export function HistoryDialog({ board, onClose }: SharingProps) {
  const { slug } = useWorkspace();
  const versions = (board.versions ?? []).filter(({ version }) => version !== board.version);
  const restore = async (version: number) => {
    await callTool(slug, "restore_asset", { asset_type: "dashboard", asset_id: board.id, version });
    await refresh(queries, slug, ["get_details", "preview_widget"]);
    told(t`The dashboard is as it was in version ${version}.`);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={t`Versions`} about={t`Each change keeps what was before it.`}>
      {versions.length === 0 ? (
        <Empty title={t`It was never changed`} />
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line">
          {versions
            .toSorted((a, b) => b.version - a.version)
            .map(({ version, changed_at: at }) => (
              <li key={version} className="flex items-center justify-between gap-3 px-3 py-2 text-table">
                <span>
                  {t`Version ${version}`}{" "}
                  <span className="text-faint">
                    <When at={at} />
                  </span>
                </span>
                <Button small onClick={() => void restore(version).catch(toldError)}>
                  {t`Bring back`}
                </Button>
              </li>
            ))}
        </ul>
      )}
    </Dialog>
  );
}
