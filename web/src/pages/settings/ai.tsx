import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { endToken, makeToken, readTokens } from "../../api/account.ts";
import { queries, useWorkspace } from "../../api/hooks.ts";
import { Button } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Card, SectionTitle } from "../../components/page.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { day } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { LanguageModels } from "./language-models.tsx";

/** The one token of a person for AI clients, and the language models of the workspace. */
export function Ai() {
  const { role } = useWorkspace();
  return (
    <>
      <SectionTitle>{t`MCP Token`}</SectionTitle>
      <McpToken />
      {role === "admin" && (
        <>
          <SectionTitle>{t`Language models`}</SectionTitle>
          <p className="-mt-3 text-soft">{t`They help with questions which the rules cannot answer. Without one, everything runs on this server alone.`}</p>
          <LanguageModels />
        </>
      )}
    </>
  );
}

const NAME = "MCP Token";

/** Making a new one ends the one before. */
function McpToken() {
  const { slug } = useWorkspace();
  const [made, setMade] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data, error } = useQuery({ queryKey: ["tokens"], queryFn: readTokens });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting rows={2} />;
  const own = data.tokens.filter(({ name, workspace }) => name === NAME && workspace === slug);
  const [token] = own;
  const during = (work: () => Promise<unknown>) => {
    setBusy(true);
    work()
      .then(() => queries.invalidateQueries({ queryKey: ["tokens"] }))
      .catch(toldError)
      .finally(() => setBusy(false));
  };
  const revoke = () => Promise.all(own.map(({ id }) => endToken(id)));
  const generate = async () => {
    const wish = { workspace: slug, kind: "mcp", name: NAME, expires_in: "1y" };
    const { token: next } = await makeToken(wish);
    await revoke();
    setMade(next);
  };
  return (
    <Card className="flex flex-col gap-3 p-4">
      {made !== null && (
        <>
          <p>{t`It is shown now and never again.`}</p>
          <CopyField label={t`MCP Token`} text={made} />
          <CopyField label={t`Address`} text={`${location.origin}/mcp`} />
        </>
      )}
      {made === null && (
        <p>
          {token === undefined ? (
            t`An AI client that cannot sign in by itself takes this token. It is yours, for this workspace, and only for AI clients.`
          ) : (
            <>
              <code className="font-mono text-table">{token.hint}…</code>{" "}
              <span className="text-soft">
                {token.expires_at !== null && <>{t`until ${day(token.expires_at)}`} · </>}
                {token.last_used_at === null ? t`never used` : t`last used`} <When at={token.last_used_at} />
              </span>
            </>
          )}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          look={token === undefined ? "primary" : "plain"}
          disabled={isBusy}
          onClick={() => during(generate)}
        >
          {token === undefined ? t`Generate token` : t`Generate a new one`}
        </Button>
        {token !== undefined && (
          <Button
            look="danger"
            disabled={isBusy}
            onClick={() =>
              during(async () => {
                await revoke();
                setMade(null);
                told(t`The token is revoked and works no more.`);
              })
            }
          >
            {t`Revoke`}
          </Button>
        )}
      </div>
      <p className="text-caption text-soft">
        {t`A new token ends the one before.`}{" "}
        <Link
          to="/w/$slug/$page/$id"
          params={{ slug, page: "settings", id: "connect" }}
          className="font-medium text-accent hover:underline"
        >
          {t`How each client connects`}
        </Link>
      </p>
    </Card>
  );
}
