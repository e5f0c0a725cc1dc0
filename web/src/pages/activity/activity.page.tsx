import { Page as PageFrame } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { t } from "../../words/words.ts";

export function Page() {
  return (
    <PageFrame title={t`Activity`}>
      <Empty
        title={t`This page is being built`}
      >{t`Until then an MCP client or the start page does this.`}</Empty>
    </PageFrame>
  );
}
