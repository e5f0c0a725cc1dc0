import type { BiServices } from "../../domains/bi/index.ts";
import type { Identity } from "../../domains/identity/index.ts";
import type { HttpApp } from "../http/app.ts";
import { sendFile } from "../pages/dashboards.route.ts";

/** Files for whoever has a link that is still good: made with the rights that its owner has now. */
export function mountExports(
  app: HttpApp,
  {
    exports,
    exportLinks,
    identity,
  }: Pick<BiServices, "exports" | "exportLinks"> & { identity: Pick<Identity, "callerFor"> },
): void {
  app.get("/files/exports/:sealed", async (c) => {
    const { owner, wanted, issuedAt } = exportLinks.verify(c.req.param("sealed"));
    // Whoever has the link may have changed since then what it shows.
    const caller = { ...(await identity.callerFor(owner)), standsIn: { since: issuedAt } };
    return sendFile(await exports.make(caller, wanted, c.req.raw.signal));
  });
}
