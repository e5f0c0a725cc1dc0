import type { BiServices } from "../../domains/bi/index.ts";
import { audited, type Identity } from "../../domains/identity/index.ts";
import type { HttpApp } from "../http/app.ts";
import { sendFile } from "../pages/dashboards.route.ts";

/** Files for whoever has a link that is still good: made with the rights that its owner has now. */
export function mountExports(
  app: HttpApp,
  {
    exports,
    exportLinks,
    identity,
  }: Pick<BiServices, "exports" | "exportLinks"> & { identity: Pick<Identity, "callerFor" | "audit"> },
): void {
  app.get("/files/exports/:sealed", async (c) => {
    const { owner, wanted, issuedAt } = exportLinks.verify(c.req.param("sealed"));
    // Whoever has the link may have changed since then what it shows.
    const caller = { ...(await identity.callerFor(owner)), standsIn: { since: issuedAt } };
    const { type: resourceType, id, format } = wanted;
    const what = { action: "file.download", resourceType, resourceId: String(id), address: c.get("address") };
    const access = { caller, ...what, metadata: { format, via: "link" }, isAnonymous: true };
    return sendFile(
      await audited(identity.audit, access, () => exports.make(caller, wanted, c.req.raw.signal)),
    );
  });
}
