import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { endApp, endToken, makeToken, readApps, readTokens } from "../../api/account.ts";
import { queries, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { day } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

const LIST = "divide-y divide-line rounded-card border border-line bg-card";

export function Tokens() {
  const { data, error } = useQuery({ queryKey: ["tokens"], queryFn: readTokens });
  const [isNew, setNew] = useState(false);
  const add = (
    <Button
      look="primary"
      className="self-start"
      icon={<Plus className="size-4" />}
      onClick={() => setNew(true)}
    >
      {t`New token`}
    </Button>
  );
  const end = async (id: number) => {
    await endToken(id);
    await queries.invalidateQueries({ queryKey: ["tokens"] });
    told(t`The token is revoked and works no more.`);
  };
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <>
      {data.tokens.length === 0 ? (
        <Empty icon={<KeyRound className="size-5" />} title={t`No tokens yet`} action={add}>
          {t`Clients that open a browser need none.`}
        </Empty>
      ) : (
        <>
          {add}
          <ul aria-label={t`Tokens`} className={LIST}>
            {data.tokens.map((token) => (
              <li key={token.id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
                <div className="min-w-0 flex-1 basis-60">
                  <p className="flex flex-wrap items-center gap-2 font-medium">
                    {token.name} <code className="font-mono text-caption text-faint">{token.hint}…</code>
                    {token.limits.read_only && <Badge>{t`reads only`}</Badge>}
                  </p>
                  <p className="text-soft text-table">
                    {token.workspace} ·{" "}
                    {token.expires_at === null ? t`no end` : t`until ${day(token.expires_at)}`} ·{" "}
                    {token.last_used_at === null ? t`never used` : t`last used`}{" "}
                    <When at={token.last_used_at} /> {token.last_used_client}
                  </p>
                </div>
                <Button small look="danger" onClick={() => void end(token.id).catch(toldError)}>
                  {t`Revoke`}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {isNew && <NewToken onClose={() => setNew(false)} />}
    </>
  );
}

function NewToken({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const [form, setForm] = useState({ name: "", expires_in: "90d", rights: "all" });
  const [made, setMade] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const set =
    (name: keyof typeof form) =>
    ({ target }: { target: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: target.value }));
  const make = async () => {
    const { name, expires_in, rights } = form;
    const wish = { workspace: slug, kind: "mcp", expires_in, read_only: rights === "read" };
    try {
      const { token } = await makeToken({ ...wish, ...(name.trim() !== "" && { name: name.trim() }) });
      setMade(token);
      await queries.invalidateQueries({ queryKey: ["tokens"] });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`New token`}
      footer={
        made === null ? (
          <Button look="primary" onClick={() => void make()}>
            {t`Make token`}
          </Button>
        ) : (
          <Button onClick={onClose}>{t`Done`}</Button>
        )
      }
    >
      {made === null ? (
        <div className="flex flex-col gap-4">
          {error !== null && <ErrorNote error={error} />}
          <TextField
            label={t`Name`}
            value={form.name}
            onChange={set("name")}
            placeholder={t`What it is for`}
          />
          <div className="grid grid-cols-2 gap-3">
            <SelectField label={t`May`} value={form.rights} onChange={set("rights")}>
              <option value="all">{t`all that I may`}</option>
              <option value="read">{t`read only`}</option>
            </SelectField>
            <SelectField label={t`Works for`} value={form.expires_in} onChange={set("expires_in")}>
              <option value="7d">{t`7 days`}</option>
              <option value="90d">{t`90 days`}</option>
              <option value="1y">{t`a year`}</option>
            </SelectField>
          </div>
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <p>{t`It is shown now and never again.`}</p>
          <CopyField label={t`Token`} text={made} />
        </div>
      )}
    </Dialog>
  );
}

export function Apps() {
  const { data, error } = useQuery({ queryKey: ["apps"], queryFn: readApps });
  const end = async (id: string) => {
    await endApp(id);
    await queries.invalidateQueries({ queryKey: ["apps"] });
    told(t`The app is disconnected. To come back it has to ask you again.`);
  };
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  if (data.apps.length === 0)
    return <Empty title={t`No app is connected`}>{t`Under Connect it says how.`}</Empty>;
  return (
    <ul aria-label={t`Apps`} className={LIST}>
      {data.apps.map(({ id, name, workspace, scopes, last_used_at: used, connected_at: at }) => (
        <li key={id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
          <div className="min-w-0 flex-1 basis-60">
            <p className="font-medium">{name}</p>
            <p className="text-soft text-table">
              {workspace} · {t`connected`} <When at={at} /> · {used === null ? t`never used` : t`last used`}{" "}
              <When at={used} />
            </p>
            <p className="text-caption text-faint">{scopes.join(", ")}</p>
          </div>
          <Button small look="danger" onClick={() => void end(id).catch(toldError)}>
            {t`Disconnect`}
          </Button>
        </li>
      ))}
    </ul>
  );
}
