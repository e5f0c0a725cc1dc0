import { html } from "hono/html";
import type { Unsubscribing } from "../../platform/delivery/index.ts";
import type { HttpApp } from "../http/app.ts";
import { sendPage } from "../oauth/pages/page.ts";

/** Where the link of a mail leads: looking only asks, for programs that check mails follow links; a POST unsubscribes. */
export function mountUnsubscribe(app: HttpApp, unsubscribing: Unsubscribing): void {
  app.get("/unsubscribe/:ticket", (c) => {
    const { address } = unsubscribing.read(c.req.param("ticket"));
    const body = html`<h1>Stop these mails?</h1>
<p>${address} gets no more mails of this alert or report.</p>
<form method="post"><button type="submit">Stop them</button></form>`;
    return sendPage(c, { title: "Stop these mails", body });
  });
  app.post("/unsubscribe/:ticket", async (c) => {
    const subscription = unsubscribing.read(c.req.param("ticket"));
    await unsubscribing.stop(subscription);
    const body = html`<h1>Done</h1>
<p>${subscription.address} gets no more mails of this alert or report.</p>`;
    return sendPage(c, { title: "Done", body });
  });
}
