import { useQuery } from "@tanstack/react-query";
import { Circle, CircleCheck } from "lucide-react";
import { useState } from "react";
import { readApps, readGuides, readTokens } from "../../api/account.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { CopyField } from "../../components/copy-field.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { When } from "../../components/when.tsx";
import { currentLanguage, t } from "../../words/words.ts";

const LOOK_AGAIN_MS = 5_000;

/** What to do in each client, and a light that turns green when one has called. */
export function Connect() {
  const [client, setClient] = useState("claude-code");
  const { data, error } = useQuery({
    queryKey: ["connect", currentLanguage()],
    queryFn: () => readGuides(currentLanguage()),
  });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <>
      <Light />
      <CopyField label={t`Address of this server`} text={data.address} />
      <Tabs
        label={t`Clients`}
        value={client}
        onChange={setClient}
        tabs={data.clients.map(({ id, client: name, steps, snippet, after, install, warning }) => ({
          id,
          label: name,
          content: (
            <div className="flex flex-col gap-3">
              {warning !== undefined && (
                <p className="rounded-card bg-warn-tint px-3 py-2 text-warn">{warning}</p>
              )}
              <p>{steps}</p>
              {install !== undefined && (
                <a
                  className="inline-flex h-8 items-center self-start rounded-field bg-accent px-3 font-medium text-on-accent text-table"
                  href={install.href}
                >
                  {install.label}
                </a>
              )}
              <CopyField label={t`To copy`} text={snippet} />
              {after !== undefined && <p className="text-soft">{after}</p>}
            </div>
          ),
        }))}
      />
    </>
  );
}

function Light() {
  const { slug } = useWorkspace();
  const apps = useQuery({ queryKey: ["apps"], queryFn: readApps, refetchInterval: LOOK_AGAIN_MS });
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: readTokens, refetchInterval: LOOK_AGAIN_MS });
  const byToken = (tokens.data?.tokens ?? []).map(({ last_used_client: client, name, ...token }) => ({
    ...token,
    name: client ?? name,
  }));
  const [last] = [...(apps.data?.apps ?? []), ...byToken]
    .filter(({ workspace, last_used_at: at }) => workspace === slug && at !== null)
    .toSorted((a, b) => (b.last_used_at ?? "").localeCompare(a.last_used_at ?? ""));
  const Icon = last === undefined ? Circle : CircleCheck;
  return (
    <p className="flex items-center gap-2" role="status">
      <Icon aria-hidden="true" className={last === undefined ? "size-4 text-faint" : "size-4 text-good"} />
      {last === undefined ? (
        t`No client has called yet.`
      ) : (
        <span>
          {t`${last.name} is connected and called`} <When at={last.last_used_at} />
        </span>
      )}
    </p>
  );
}
