import { html } from "hono/html";
import type { Unsubscribing } from "../../platform/delivery/index.ts";
import type { HttpApp } from "../http/app.ts";
import { sendPage } from "../oauth/pages/page.ts";
import { wordsOf } from "../oauth/pages/words.ts";

/** Where the link of a mail leads: looking only asks, for programs that check mails follow links; a POST unsubscribes. */
export function mountUnsubscribe(app: HttpApp, unsubscribing: Unsubscribing): void {
  app.get("/unsubscribe/:ticket", (c) => {
    const { address } = unsubscribing.read(c.req.param("ticket"));
    const t = wordsOf(c);
    const body = html`<h1>${t`Stop these mails?`}</h1>
<p>${t`${address} gets no more mails of this alert or report.`}</p>
<form method="post"><button type="submit">${t`Stop them`}</button></form>`;
    return sendPage(c, { title: t`Stop these mails?`, body });
  });
  app.post("/unsubscribe/:ticket", async (c) => {
    const subscription = unsubscribing.read(c.req.param("ticket"));
    await unsubscribing.stop(subscription);
    const t = wordsOf(c);
    const body = html`<h1>${t`Done`}</h1>
<p>${t`${subscription.address} gets no more mails of this alert or report.`}</p>`;
    return sendPage(c, { title: t`Done`, body });
  });
}
