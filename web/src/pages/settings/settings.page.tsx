import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useWorkspace } from "../../api/hooks.ts";
import { cx } from "../../components/classes.ts";
import { Page as PageFrame } from "../../components/page.tsx";
import { t } from "../../words/words.ts";
import { Ai } from "./ai.tsx";
import { Connect } from "./connect.tsx";
import { Members } from "./members.tsx";
import { Profile } from "./profile.tsx";
import { Apps, Tokens } from "./tokens.tsx";
import { UsageAndHealth } from "./usage.tsx";

interface Section {
  id: string;
  name: string;
  about: string;
  content: ReactNode;
}

export function Page() {
  const { slug, role } = useWorkspace();
  const { id } = useParams({ strict: false }) as { id?: string };
  const all = sections(role === "admin");
  const section = all.find((each) => each.id === id) ?? (all[0] as Section);
  return (
    <PageFrame title={t`Settings`}>
      <div className="grid gap-6 md:grid-cols-[180px_minmax(0,1fr)]">
        <nav aria-label={t`Settings`} className="flex gap-1 overflow-x-auto md:flex-col">
          {all.map(({ id: own, name }) => (
            <Link
              key={own}
              to="/w/$slug/$page/$id"
              params={{ slug, page: "settings", id: own }}
              aria-current={own === section.id ? "page" : undefined}
              className={cx(
                "rounded-field px-2.5 py-1.5 font-medium text-table whitespace-nowrap hover:bg-hover",
                own === section.id ? "bg-hover text-ink" : "text-soft",
              )}
            >
              {name}
            </Link>
          ))}
        </nav>
        <section aria-label={section.name} className="flex min-w-0 max-w-[760px] flex-col gap-4">
          <header>
            <h2 className="font-semibold text-lead">{section.name}</h2>
            <p className="text-soft">{section.about}</p>
          </header>
          {section.content}
        </section>
      </div>
    </PageFrame>
  );
}

function sections(isAdmin: boolean): Section[] {
  return [
    {
      id: "profile",
      name: t`Profile`,
      about: t`Who you are here, and your password.`,
      content: <Profile />,
    },
    {
      id: "connect",
      name: t`Connect`,
      about: t`Let your AI client work with this workspace. You sign in from there; no password is passed on.`,
      content: <Connect />,
    },
    {
      id: "ai",
      name: t`AI Settings`,
      about: t`Your token for AI clients, and the language models of this workspace.`,
      content: <Ai />,
    },
    {
      id: "tokens",
      name: t`Tokens`,
      about: t`For programs that cannot sign in. A token never may more than you.`,
      content: <Tokens />,
    },
    {
      id: "apps",
      name: t`Apps`,
      about: t`Applications that you have let in, in any of your workspaces.`,
      content: <Apps />,
    },
    ...(isAdmin
      ? [
          {
            id: "members",
            name: t`Members`,
            about: t`Who belongs to this workspace and what they may do. Groups and attributes are what policies of datasets look at.`,
            content: <Members />,
          },
          {
            id: "usage",
            name: t`Usage and health`,
            about: t`Whether the server is well, and how much of the plan is used.`,
            content: <UsageAndHealth />,
          },
        ]
      : []),
  ];
}
