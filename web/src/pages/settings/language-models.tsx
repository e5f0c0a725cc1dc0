import { Bot, Plus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

interface Provider {
  name: string;
  kind: "openai" | "anthropic" | "openai-compatible";
  model: string;
  base_url: string | null;
  has_key: boolean;
  default: boolean;
  send_rows: boolean;
  last_failure: string | null;
}

/** Language models of the workspace, and what is sent to them. */
export function LanguageModels() {
  const { slug } = useWorkspace();
  const [edited, setEdited] = useState<Provider | "new" | null>(null);
  const { data, error } = useTool<{ providers: Provider[] }>("list_llm_providers");
  const [tested, setTested] = useState<string | null>(null);
  const test = async (name: string) => {
    setTested(name);
    try {
      const { ms } = await callTool<{ ms: number }>(slug, "test_llm_provider", { name });
      told(t`“${name}” answers, in ${number(ms, 0)} ms.`);
    } catch (problem) {
      toldError(problem);
    }
    setTested(null);
    await refresh(queries, slug, ["list_llm_providers"]);
  };
  const remove = async (name: string) => {
    await callTool(slug, "remove_llm_provider", { name });
    await refresh(queries, slug, ["list_llm_providers"]);
    told(t`“${name}” and its key are removed.`);
  };
  const add = (
    <Button
      look="primary"
      className="self-start"
      icon={<Plus className="size-4" />}
      onClick={() => setEdited("new")}
    >
      {t`Add a language model`}
    </Button>
  );
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <>
      {data.providers.length === 0 ? (
        <Empty icon={<Bot className="size-5" />} title={t`No language model`} action={add}>
          {t`Nothing leaves this server.`}
        </Empty>
      ) : (
        <>
          {add}
          <ul
            aria-label={t`Language models`}
            className="divide-y divide-line rounded-card border border-line bg-card"
          >
            {data.providers.map((provider) => (
              <li key={provider.name} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
                <div className="min-w-0 flex-1 basis-60">
                  <p className="flex flex-wrap items-center gap-2 font-medium">
                    {provider.name} {provider.default && <Badge tone="accent">{t`default`}</Badge>}
                  </p>
                  <p className="text-soft text-table">
                    {provider.model} · {provider.base_url ?? provider.kind} ·{" "}
                    {provider.send_rows
                      ? t`gets questions, names of columns, and rows of results`
                      : t`gets questions and names of columns, never rows`}
                  </p>
                  {provider.last_failure !== null && (
                    <p className="text-caption text-warn">{provider.last_failure}</p>
                  )}
                </div>
                <Button small disabled={tested === provider.name} onClick={() => void test(provider.name)}>
                  {tested === provider.name ? t`Testing …` : t`Test`}
                </Button>
                <Button small onClick={() => setEdited(provider)}>
                  {t`Change`}
                </Button>
                <Button small look="danger" onClick={() => void remove(provider.name).catch(toldError)}>
                  {t`Remove`}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {edited !== null && (
        <ProviderDialog
          provider={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={(name) => void test(name)}
        />
      )}
    </>
  );
}

interface ProviderDialogProps {
  provider: Provider | null;
  onClose: () => void;
  onSaved: (name: string) => void;
}

function ProviderDialog({ provider, onClose, onSaved }: ProviderDialogProps) {
  const { slug } = useWorkspace();
  const [form, setForm] = useState({
    name: provider?.name ?? "",
    kind: provider?.kind ?? ("anthropic" as Provider["kind"]),
    model: provider?.model ?? "",
    base_url: provider?.base_url ?? "",
    api_key: "",
    send: provider?.send_rows ? "rows" : "names",
  });
  const [error, setError] = useState<unknown>(null);
  const set =
    (name: keyof typeof form) =>
    ({ target }: { target: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: target.value }));
  const save = async () => {
    const { name, kind, model, base_url, api_key, send } = form;
    const wish = {
      ...{ name, kind, model, send_rows: send === "rows", default: provider?.default ?? true },
      ...(base_url !== "" && { base_url }),
      ...(api_key !== "" && { api_key }),
    };
    try {
      await callTool(slug, "set_llm_provider", wish);
      await refresh(queries, slug, ["list_llm_providers"]);
      onClose();
      onSaved(name);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={provider?.name ?? t`Add a language model`}
      footer={
        <Button look="primary" disabled={form.name === "" || form.model === ""} onClick={() => void save()}>
          {t`Save`}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        {provider === null && <TextField label={t`Name`} value={form.name} onChange={set("name")} />}
        <SelectField label={t`Kind`} value={form.kind} onChange={set("kind")}>
          <option value="anthropic">Anthropic</option>
          <option value="openai">OpenAI</option>
          <option value="openai-compatible">{t`Compatible with OpenAI (own server)`}</option>
        </SelectField>
        <TextField
          label={t`Model`}
          value={form.model}
          onChange={set("model")}
          hint={t`As the provider calls it.`}
        />
        {form.kind === "openai-compatible" && (
          <TextField label={t`Address (URL)`} value={form.base_url} onChange={set("base_url")} />
        )}
        <TextField
          label={t`Key`}
          type="password"
          autoComplete="off"
          value={form.api_key}
          onChange={set("api_key")}
          hint={
            provider?.has_key ? t`Left empty, the stored one stays.` : t`It is kept sealed and never shown.`
          }
        />
        <SelectField label={t`It is sent`} value={form.send} onChange={set("send")}>
          <option value="names">{t`questions and names of columns`}</option>
          <option value="rows">{t`also rows of results and passages, to write about them`}</option>
        </SelectField>
      </div>
    </Dialog>
  );
}
