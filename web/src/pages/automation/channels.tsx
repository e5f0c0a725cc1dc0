import { Plus, Webhook } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";

type Kind = "slack_bot" | "slack_webhook" | "teams" | "webhook";

interface Channel {
  id: number;
  name: string;
  kind: Kind;
  room: string | null;
  url: string | null;
  disabled: string | null;
}

/** Where alerts and reports go beside mail. */
export function Channels() {
  const { slug, role } = useWorkspace();
  const [isNew, setNew] = useState(false);
  const { data, error } = useTool<{ channels: Channel[] }>("list_channels");
  const remove = async (name: string) => {
    await callTool(slug, "remove_channel", { name });
    await refresh(queries, slug, ["list_channels"]);
    told(t`“${name}” and its secret are removed.`);
  };
  const add = role === "admin" && (
    <Button
      look="primary"
      className="self-start"
      icon={<Plus className="size-4" />}
      onClick={() => setNew(true)}
    >
      {t`New channel`}
    </Button>
  );
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <div className="flex flex-col gap-3">
      {data.channels.length === 0 ? (
        <Empty icon={<Webhook className="size-5" />} title={t`No channels yet`} action={add}>
          {t`Slack, Teams or an address of your own. Mail needs no channel.`}
        </Empty>
      ) : (
        <>
          {add}
          <ul
            aria-label={t`Channels`}
            className="divide-y divide-line rounded-card border border-line bg-card"
          >
            {data.channels.map(({ id, name, kind, room, url, disabled }) => (
              <li key={id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
                <div className="min-w-0 flex-1 basis-60">
                  <p className="flex flex-wrap items-center gap-2 font-medium">
                    {name} {disabled !== null && <Badge tone="bad">{disabled}</Badge>}
                  </p>
                  <p className="truncate text-soft text-table">
                    {[kindName(kind), room, url].filter(Boolean).join(" · ")}
                  </p>
                </div>
                {role === "admin" && (
                  <Button small look="danger" onClick={() => void remove(name).catch(toldError)}>
                    {t`Remove`}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {isNew && <NewChannel onClose={() => setNew(false)} />}
    </div>
  );
}

function kindName(kind: Kind): string {
  return { slack_bot: "Slack", slack_webhook: "Slack", teams: "Teams", webhook: t`Webhook` }[kind];
}

function NewChannel({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const [form, setForm] = useState({ name: "", kind: "slack_webhook", secret: "", room: "", url: "" });
  const [signing, setSigning] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const set =
    (name: keyof typeof form) =>
    ({ target }: { target: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: target.value }));
  const save = async () => {
    const { name, kind, secret, room, url } = form;
    const more = {
      ...(kind !== "webhook" && secret !== "" && { secret }),
      ...(kind === "slack_bot" && room !== "" && { room }),
      ...(kind === "webhook" && { url }),
    };
    try {
      const made = await callTool<{ signing_secret?: string }>(slug, "set_channel", { name, kind, ...more });
      await refresh(queries, slug, ["list_channels"]);
      if (made.signing_secret === undefined) onClose();
      else setSigning(made.signing_secret);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`New channel`}
      footer={
        signing === null ? (
          <Button look="primary" disabled={form.name === ""} onClick={() => void save()}>
            {t`Save`}
          </Button>
        ) : (
          <Button onClick={onClose}>{t`Done`}</Button>
        )
      }
    >
      {signing === null ? (
        <div className="flex flex-col gap-4">
          {error !== null && <ErrorNote error={error} />}
          <TextField label={t`Name`} value={form.name} onChange={set("name")} />
          <SelectField label={t`Kind`} value={form.kind} onChange={set("kind")}>
            <option value="slack_webhook">{t`Slack, by an address`}</option>
            <option value="slack_bot">{t`Slack, by a bot`}</option>
            <option value="teams">Teams</option>
            <option value="webhook">{t`Webhook`}</option>
          </SelectField>
          {form.kind === "webhook" ? (
            <TextField
              label={t`Address (URL)`}
              value={form.url}
              onChange={set("url")}
              placeholder="https://"
            />
          ) : (
            <TextField
              label={form.kind === "slack_bot" ? t`Token of the bot` : t`Address made by Slack or Teams`}
              type="password"
              autoComplete="off"
              value={form.secret}
              onChange={set("secret")}
              hint={t`It is kept sealed and never shown.`}
            />
          )}
          {form.kind === "slack_bot" && (
            <TextField label={t`Room`} value={form.room} onChange={set("room")} placeholder="#general" />
          )}
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <p>{t`With this secret the receiver checks that a message is ours. It is shown now and never again.`}</p>
          <CopyField label={t`Signing secret`} text={signing} />
        </div>
      )}
    </Dialog>
  );
}
