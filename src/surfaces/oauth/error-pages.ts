import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HttpEnv } from "../http/app.ts";
import { errorPage } from "./pages/error.page.ts";
import { sendPage, wantsPage } from "./pages/page.ts";
import { wordsOf } from "./pages/words.ts";

/** Whoever comes with a browser gets a page where programs get JSON: the same status, the same words. */
export const errorsAsPages: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  if (c.error === undefined || !wantsPage(c.req.header("accept"))) return;
  const { message } = (await c.res.clone().json()) as { message: string };
  const t = wordsOf(c);
  c.res = await sendPage(c, {
    title: t`Error`,
    status: c.res.status as ContentfulStatusCode,
    body: errorPage(t, { message }),
  });
};
