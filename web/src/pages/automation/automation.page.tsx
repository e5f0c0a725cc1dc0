import { useNavigate, useParams } from "@tanstack/react-router";
import { useWorkspace } from "../../api/hooks.ts";
import { Page as PageFrame } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { t } from "../../words/words.ts";
import { Alerts } from "./alerts.tsx";
import { Channels } from "./channels.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Reports } from "./reports.tsx";

export function Page() {
  const { slug } = useWorkspace();
  const { id = "alerts" } = useParams({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  return (
    <PageFrame
      title={t`Automation`}
      about={t`What is watched and sent without anybody asking: alerts, reports, and where they go.`}
    >
      <Tabs
        label={t`Automation`}
        value={id}
        onChange={(next) =>
          void navigate({ to: "/w/$slug/$page/$id", params: { slug, page: "automation", id: next } })
        }
        tabs={[
          { id: "alerts", label: t`Alerts`, content: <Alerts /> },
          { id: "reports", label: t`Reports`, content: <Reports /> },
          { id: "deliveries", label: t`Deliveries`, content: <Deliveries /> },
          { id: "channels", label: t`Channels`, content: <Channels /> },
        ]}
      />
    </PageFrame>
  );
}
