import { Database } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../components/fields.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";
import { Datasource as OpenDatasource } from "./datasource.tsx";

interface Datasource {
  id: number;
  name: string;
  type: string;
  settings: Record<string, unknown>;
  may_query: boolean;
}

interface DatasourceList {
  total: number;
  datasources: Datasource[];
  types?: { type: string; title: string }[];
}

export function Datasources() {
  const [{ new: isNew, source }, setParams] = useParamsInAddress();
  const { role } = useWorkspace();
  const { data, error, refetch } = useTool<DatasourceList>("list_datasources", { types: true, limit: 100 });
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  const opened = data.datasources.find(({ id }) => `${id}` === source);
  return (
    <>
      {data.total === 0 ? (
        <Empty
          icon={<Database className="size-5" />}
          title={t`No database is connected`}
          action={
            role !== "viewer" && (
              <Button look="primary" onClick={() => setParams({ new: "1" })}>
                {t`Connect a database`}
              </Button>
            )
          }
        >
          {t`Connect PostgreSQL, MySQL, MongoDB, Snowflake, BigQuery, a web API or one of many others. Queries on it become datasets, refreshed as often as you say.`}
        </Empty>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line bg-card">
          {data.datasources.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                disabled={!each.may_query}
                onClick={() => setParams({ source: `${each.id}` }, true)}
                className="flex min-h-12 w-full items-center gap-3 px-4 py-2 text-left hover:bg-hover disabled:hover:bg-transparent"
              >
                <Database aria-hidden="true" className="size-4 text-soft" />
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{each.name}</span>
                  <span className="block truncate text-soft text-table">
                    {Object.values(each.settings)
                      .filter((value) => typeof value === "string")
                      .join(" · ")}
                  </span>
                </span>
                <Badge>{data.types?.find(({ type }) => type === each.type)?.title ?? each.type}</Badge>
              </button>
            </li>
          ))}
        </ul>
      )}
      {isNew !== undefined && (
        <Connect types={data.types ?? []} onClose={() => setParams({ new: undefined })} />
      )}
      {opened !== undefined && (
        <OpenDatasource datasource={opened} onClose={() => setParams({ source: undefined })} />
      )}
    </>
  );
}

const PORTS: Record<string, string> = {
  postgresql: "5432",
  mysql: "3306",
  mariadb: "3306",
  redshift: "5439",
  cockroachdb: "26257",
  citus: "5432",
  mongodb: "27017",
  elasticsearch: "9200",
  opensearch: "9200",
  clickhouse: "8443",
  trino: "443",
};

interface FieldNames {
  host?: string | null;
  database?: string | null;
  user?: string | null;
  password?: string;
  /** The secret is a text of several lines. */
  isLong?: boolean;
}

/** How a kind of database calls what it is reached by; null is a field that it does not have. */
function fieldNames(type: string): FieldNames {
  switch (type) {
    case "snowflake":
      return {
        host: t`Account`,
        password: t`Access token, or private key in PEM`,
        isLong: true,
      };
    case "bigquery":
      return {
        host: null,
        database: t`Project, or project.dataset`,
        user: null,
        password: t`JSON key of the service account`,
        isLong: true,
      };
    case "trino":
      return { database: t`Catalog, or catalog.schema` };
    case "elasticsearch":
    case "opensearch":
      return { database: null };
    default:
      return {};
  }
}

interface Connected {
  datasource_id: number;
  connection: { ok: boolean; message: string; server_version?: string } | null;
}

/** A connection is tried before it is kept. */
function Connect({ types, onClose }: { types: { type: string; title: string }[]; onClose: () => void }) {
  const { slug } = useWorkspace();
  const [form, setForm] = useState<Record<string, string>>({ type: types[0]?.type ?? "postgresql" });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const type = form.type ?? "";
  const isFile = type === "sqlite" || type === "duckdb";
  const isWeb = type === "restapi" || type === "csv";
  const names = fieldNames(type);
  const set =
    (name: string) =>
    ({ target }: { target: { value: string } }) =>
      setForm({ ...form, [name]: target.value });
  const field = (name: string, label: string, more: Record<string, unknown> = {}) => (
    <TextField label={label} value={form[name] ?? ""} onChange={set(name)} {...more} />
  );
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      const { port, ...texts } = Object.fromEntries(
        Object.entries(form).filter(([, value]) => value.trim() !== ""),
      );
      const args = {
        ...texts,
        ...(port !== undefined && { port: Number(port) }),
        connection_test: "require",
      };
      const { connection } = await callTool<Connected>(slug, "create_datasource", args);
      await refresh(queries, slug, ["list_datasources"]);
      told(
        connection?.server_version === undefined
          ? t`Connected.`
          : t`Connected to ${connection.server_version}.`,
      );
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Connect a database`}
      about={t`The connection is tried before it is kept; passwords are kept sealed.`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={isBusy || !form.name} onClick={() => void save()}>
            {isBusy ? t`Trying …` : t`Try and connect`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <SelectField label={t`Kind`} value={type} onChange={set("type")}>
          {types.map((each) => (
            <option key={each.type} value={each.type}>
              {each.title}
            </option>
          ))}
        </SelectField>
        {field("name", t`Name`, { placeholder: t`How people will call it` })}
        {isFile ? (
          field("database", t`Path of the file`)
        ) : (
          <>
            {names.host !== null && (
              <div className="grid grid-cols-[1fr_6rem] gap-3">
                {field("host", names.host ?? (isWeb ? t`Address (URL)` : t`Host`), {
                  placeholder: isWeb ? "https://" : type === "snowflake" ? "myorg-account" : "db.example.com",
                })}
                {!isWeb &&
                  type !== "snowflake" &&
                  field("port", t`Port`, { inputMode: "numeric", placeholder: PORTS[type] })}
              </div>
            )}
            {!isWeb && names.database !== null && field("database", names.database ?? t`Database`)}
            {!isWeb && names.user !== null && field("user", t`User`, { autoComplete: "off" })}
            {!isWeb &&
              (names.isLong ? (
                <TextArea
                  label={names.password ?? t`Password`}
                  rows={4}
                  className="font-mono text-table"
                  spellCheck={false}
                  autoComplete="off"
                  value={form.password ?? ""}
                  onChange={set("password")}
                />
              ) : (
                field("password", names.password ?? t`Password`, {
                  type: "password",
                  autoComplete: "new-password",
                })
              ))}
            {isWeb &&
              field("token", t`Token, if it needs one`, { type: "password", autoComplete: "new-password" })}
          </>
        )}
      </div>
    </Dialog>
  );
}
