import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleHelp } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";
import type { ReadModel } from "./types.ts";

interface Verified {
  total: number;
  questions: {
    question: string;
    reading: string;
    verified_by: string | null;
    verified_at: string;
    failure?: string | null;
    read_otherwise?: string | null;
  }[];
}

/** Questions whose answers somebody found right: they are run again, so that a change to the model is seen at once. */
export function TestQuestions({ model }: { model: string }) {
  const { slug, role } = useWorkspace();
  const { data, error, isFetching, refetch } = useTool<Verified>("list_verified_questions", {
    model,
    check: true,
  });
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  const ask = (
    <ButtonLink
      look="primary"
      to="/w/$slug/$page"
      params={{ slug, page: "ask" }}
      search={{ scope: model } as never}
    >
      {t`Ask a question`}
    </ButtonLink>
  );
  if (data.total === 0)
    return (
      <Empty icon={<CircleCheck className="size-5" />} title={t`No test questions yet`} action={ask}>
        {t`Ask, and mark the answer as right: the same question is answered like that from then on, and is tried here after every change.`}
      </Empty>
    );
  const remove = async (question: string) => {
    try {
      await callTool(slug, "mark_answer", { mark: "none", question, model });
      await refresh(queries, slug, ["list_verified_questions"]);
      told(t`It is no test question any more.`);
    } catch (problem) {
      toldError(problem);
    }
  };
  const passed = data.questions.filter((each) => !each.failure && !each.read_otherwise).length;
  return (
    <div className="flex max-w-[1000px] flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <p>
          <Badge
            tone={passed === data.questions.length ? "good" : "warn"}
          >{t`${passed} of ${data.questions.length} pass`}</Badge>
        </p>
        <div className="flex gap-2">
          <Button disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? t`Running …` : t`Run them again`}
          </Button>
          {ask}
        </div>
      </div>
      <ul className="divide-y divide-line rounded-card border border-line bg-card">
        {data.questions.map(({ question, reading, verified_by: who, failure, read_otherwise: otherwise }) => (
          <li key={question} className="flex items-start gap-3 px-4 py-2.5">
            {failure ? (
              <CircleAlert aria-label={t`Fails`} className="mt-0.5 size-4 shrink-0 text-bad" />
            ) : otherwise ? (
              <CircleHelp aria-label={t`Read otherwise`} className="mt-0.5 size-4 shrink-0 text-warn" />
            ) : (
              <CircleCheck aria-label={t`Passes`} className="mt-0.5 size-4 shrink-0 text-good" />
            )}
            <span className="min-w-0 flex-1">
              <Link
                to="/w/$slug/$page"
                params={{ slug, page: "ask" }}
                search={{ q: question, scope: model } as never}
                className="font-medium hover:underline"
              >
                {question}
              </Link>
              <span className="block text-soft text-table">
                {failure ?? (otherwise ? t`Read now as: ${otherwise}` : reading)}
              </span>
              {who !== null && <span className="block text-caption text-faint">{who}</span>}
            </span>
            {role !== "viewer" && (
              <Button small look="quiet" onClick={() => void remove(question)}>
                {t`Remove`}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Versions({ model }: { model: ReadModel }) {
  const { slug, role } = useWorkspace();
  const published = model.versions.find((each) => each.published)?.version;
  const [compared, compare] = useState<number>();
  const goBack = async (version: number) => {
    try {
      const { version: next } = await callTool<{ version: number }>(slug, "publish_semantic_model", {
        modelName: model.name,
        version,
      });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      told(t`Version ${version} is back, as version ${next}.`);
    } catch (error) {
      toldError(error);
    }
  };
  return (
    <div className="flex max-w-[1000px] flex-col gap-4">
      {model.has_draft && published !== undefined && (
        <Diff
          name={model.name}
          version="draft"
          against={published}
          title={t`The draft against what is published`}
        />
      )}
      <ol className="divide-y divide-line rounded-card border border-line bg-card">
        {model.versions.toReversed().map(({ version, published_at: at, published: isPublished }) => (
          <li key={version} className="flex min-h-12 flex-wrap items-center justify-between gap-3 px-4 py-2">
            <span>
              <span className="font-medium">{t`Version ${version}`}</span>{" "}
              <span className="text-soft text-table">
                <When at={at} />
              </span>
            </span>
            <span className="flex items-center gap-2">
              {isPublished && <Badge tone="good">{t`Published`}</Badge>}
              {version > 1 && (
                <Button
                  small
                  look="quiet"
                  onClick={() => compare(compared === version ? undefined : version)}
                >
                  {t`What changed`}
                </Button>
              )}
              {!isPublished && role !== "viewer" && (
                <Button small onClick={() => void goBack(version)}>
                  {t`Go back to it`}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ol>
      {model.versions.length === 0 && <p className="text-soft">{t`Nothing is published yet.`}</p>}
      {compared !== undefined && (
        <Diff
          name={model.name}
          version={compared}
          against={compared - 1}
          title={t`What version ${compared} changed`}
        />
      )}
    </div>
  );
}

function Diff({
  name,
  version,
  against,
  title,
}: {
  name: string;
  version: number | "draft";
  against: number;
  title: string;
}) {
  const { data, error } = useTool<ReadModel>("read_semantic_model", {
    modelName: name,
    version,
    compare_with: against,
  });
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting rows={3} />;
  const lines = (data.diff ?? "").split("\n").filter((line) => line !== "");
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold">{title}</h2>
      <pre className="max-h-96 overflow-auto rounded-card border border-line bg-card py-2 font-mono text-caption">
        {lines.length === 0
          ? t`Nothing.`
          : lines.map((line, at) => (
              <span
                key={at}
                className={`block px-3 ${line.startsWith("+") ? "bg-good-tint text-good" : line.startsWith("-") ? "bg-bad-tint text-bad" : "text-soft"}`}
              >
                {line}
              </span>
            ))}
      </pre>
    </section>
  );
}

interface RequestList {
  total: number;
  requests: {
    id: number;
    model: string;
    title: string;
    description: string;
    state: "open" | "done" | "declined";
    requested_by: string;
    created_at: string;
  }[];
}

/** What people and agents missed in the model. */
export function Requests({ model }: { model: string }) {
  const { slug } = useWorkspace();
  const { data, error } = useTool<RequestList>("list_improvement_requests", { state: "all", limit: 100 });
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  const own = data.requests.filter((each) => each.model === model);
  if (own.length === 0)
    return (
      <Empty icon={<CircleHelp className="size-5" />} title={t`No wishes`}>
        {t`Agents write here what the model could not answer, so that somebody who knows the data can add it.`}
      </Empty>
    );
  const close = async (id: number, state: "done" | "declined") => {
    try {
      await callTool(slug, "close_improvement_request", { id, state });
      await refresh(queries, slug, ["list_improvement_requests"]);
    } catch (problem) {
      toldError(problem);
    }
  };
  return (
    <ul className="max-w-[1000px] divide-y divide-line rounded-card border border-line bg-card">
      {own.map(({ id, title, description, state, requested_by: who, created_at: at }) => (
        <li key={id} className="flex flex-wrap items-start justify-between gap-3 px-4 py-3">
          <span className="min-w-0 flex-1 basis-80">
            <span className="font-medium">{title}</span>
            <span className="block text-soft">{description}</span>
            <span className="block text-caption text-faint">
              {who} · <When at={at} />
            </span>
          </span>
          {state === "open" ? (
            <span className="flex gap-2">
              <Button small onClick={() => void close(id, "done")}>{t`Done`}</Button>
              <Button small look="quiet" onClick={() => void close(id, "declined")}>{t`Decline`}</Button>
            </span>
          ) : (
            <Badge tone={state === "done" ? "good" : "plain"}>
              {state === "done" ? t`Done` : t`Declined`}
            </Badge>
          )}
        </li>
      ))}
    </ul>
  );
}
