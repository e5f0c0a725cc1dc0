import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useTool, useWorkspace } from "../../api/hooks.ts";
import type { AlertList } from "../../api/tools.ts";
import { Card, SectionTitle } from "../../components/page.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

interface Usage {
  metrics: { metric: string; used: number; limit: number | null; period: string }[];
  members: { email: string; agent_calls: number; llm_calls: number; llm_tokens: number }[];
}

interface Health {
  status: string;
  version: string;
  problems?: { name: string; message: string }[];
}

const AGAIN_MS = 15_000;

/** Whether the server is well, what needs somebody to look at it, and how much of the plan is used. */
export function UsageAndHealth() {
  const { data, error } = useTool<Usage>("get_usage");
  return (
    <>
      <HealthCard />
      <SectionTitle>{t`Used of the plan`}</SectionTitle>
      {error !== null ? (
        <ErrorNote error={error} />
      ) : data === undefined ? (
        <Waiting rows={4} />
      ) : (
        <>
          <Card className="divide-y divide-line">
            {data.metrics.map(({ metric, used, limit, period }) => (
              <div key={metric} className="flex flex-col gap-1.5 px-4 py-2.5">
                <p className="flex justify-between gap-4">
                  <span className="font-medium">{metricName(metric)}</span>
                  <span className="figures text-soft">
                    {limit === null ? number(used, 0) : t`${number(used, 0)} of ${number(limit, 0)}`}{" "}
                    {/month/i.test(period) && t`this month`}
                  </span>
                </p>
                {limit !== null && (
                  <div className="h-1 overflow-hidden rounded-full bg-hover">
                    <div
                      className={used >= limit ? "h-full bg-bad" : "h-full bg-accent"}
                      style={{ width: `${Math.min(100, (used / Math.max(1, limit)) * 100)}%` }}
                    />
                  </div>
                )}
              </div>
            ))}
            {data.metrics.length === 0 && <p className="px-4 py-3 text-soft">{t`Nothing was used yet.`}</p>}
          </Card>
          {data.members.length > 0 && (
            <>
              <SectionTitle>{t`By member, this month`}</SectionTitle>
              <Card className="overflow-x-auto">
                <table className="figures w-full text-table">
                  <thead className="text-left text-soft">
                    <tr>
                      {[t`Member`, t`Questions`, t`Calls of language models`, t`Tokens`].map((name, at) => (
                        <th
                          key={name}
                          scope="col"
                          className={`px-4 py-2 font-medium ${at > 0 ? "text-right" : ""}`}
                        >
                          {name}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {data.members.map(({ email, agent_calls: calls, llm_calls: llm, llm_tokens: tokens }) => (
                      <tr key={email} className="border-line border-t">
                        <th scope="row" className="px-4 py-2 text-left font-normal">
                          {email}
                        </th>
                        {[calls, llm, tokens].map((value, at) => (
                          <td key={at} className="px-4 py-2 text-right">
                            {number(value, 0)}
                          </td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Card>
            </>
          )}
        </>
      )}
    </>
  );
}

/** What is broken is answered with another status than what is well. */
async function readHealth(): Promise<Health> {
  const response = await fetch("/api/health/ready");
  return (await response.json()) as Health;
}

function HealthCard() {
  const { slug } = useWorkspace();
  const { data } = useQuery({ queryKey: ["health"], queryFn: readHealth, refetchInterval: AGAIN_MS });
  const alerts = useTool<AlertList>("list_alerts", { limit: 200 });
  const deliveries = useTool<{ deliveries: { state: string }[] }>("list_deliveries", { limit: 100 });
  const queries = useTool<{ queries: { refresh: { problem: string | null } | null }[] }>("list_queries", {
    limit: 100,
  });
  const to = (page: string, id?: string) =>
    id === undefined
      ? { to: "/w/$slug/$page" as const, params: { slug, page } }
      : { to: "/w/$slug/$page/$id" as const, params: { slug, page, id } };
  const troubles = [
    {
      count: alerts.data?.alerts.filter(({ state }) => state === "error").length ?? 0,
      text: t`alerts cannot be checked`,
      link: to("automation"),
    },
    {
      count: deliveries.data?.deliveries.filter(({ state }) => state === "dead").length ?? 0,
      text: t`messages could not be delivered`,
      link: to("automation", "deliveries"),
    },
    {
      count: queries.data?.queries.filter(({ refresh }) => refresh?.problem != null).length ?? 0,
      text: t`datasets are not refreshed any more`,
      link: to("data"),
    },
  ].filter(({ count }) => count > 0);
  if (data === undefined) return <Waiting rows={2} />;
  const isWell = data.status === "ok";
  return (
    <Card className="flex flex-col gap-2 p-4">
      <p className="flex items-center gap-2 font-medium">
        {isWell ? (
          <CircleCheck aria-hidden="true" className="size-4 text-good" />
        ) : (
          <CircleAlert aria-hidden="true" className="size-4 text-bad" />
        )}
        {isWell ? t`The server is well.` : t`The server is not well.`}
        <span className="font-normal text-caption text-faint">Kenning {data.version}</span>
      </p>
      {data.problems?.map(({ name, message }) => (
        <p key={name} className="text-bad">
          {message}
        </p>
      ))}
      {troubles.length === 0 ? (
        <p className="text-soft">{t`Alerts are checked, messages are delivered, datasets are refreshed.`}</p>
      ) : (
        troubles.map(({ count, text, link }) => (
          <Link key={text} {...link} className="flex items-center gap-2 text-warn hover:underline">
            <CircleAlert aria-hidden="true" className="size-4" /> {number(count)} {text}
          </Link>
        ))
      )}
    </Card>
  );
}

function metricName(metric: string): string {
  const names: Record<string, string> = {
    agent_calls: t`Questions to agents`,
    llm_calls: t`Calls of language models`,
    llm_tokens: t`Tokens of language models`,
    memories: t`Memories`,
    documents: t`Documents`,
  };
  return names[metric] ?? metric.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
}
