import { Readable } from "node:stream";
import type { AssetsServices } from "../../domains/assets/index.ts";
import type { BiServices } from "../../domains/bi/index.ts";
import { audited, type Identity } from "../../domains/identity/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { refusal } from "../http/answers.ts";
import type { HttpApp } from "../http/app.ts";
import { fileHeaders } from "../http/file-headers.ts";
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

interface ExportFilesParts extends Pick<AssetsServices, "exports"> {
  identity: Pick<Identity, "callerFor" | "audit">;
}

/** Exports that are too large for an answer, for whoever has the link. */
export function mountExportFiles(app: HttpApp, { exports, identity }: ExportFilesParts): void {
  app.get("/files/data/:ticket", async (c) => {
    try {
      const file = exports.open(c.req.param("ticket"));
      // Whoever lost the account, the membership, the token or the right since then has lost the file, too.
      const caller = await identity.callerFor(file.owner);
      if (!caller.permissions.includes("bi:read"))
        throw new AppError("forbidden", "You may not read data any more.");
      const { name, mimeType, bytes } = file;
      const what = {
        action: "file.download",
        resourceType: "file",
        resourceId: name,
        address: c.get("address"),
      };
      const content = await audited(
        identity.audit,
        { caller, ...what, metadata: { mimeType, bytes, via: "link" }, isAnonymous: true },
        () => exports.content(file),
      );
      const isHead = c.req.method === "HEAD";
      if (isHead) content.destroy();
      const headers = fileHeaders(file.name, file.mimeType);
      headers.set("content-length", String(file.bytes));
      return new Response(isHead ? null : (Readable.toWeb(content) as ReadableStream), { headers });
    } catch (thrown) {
      if (!isAppError(thrown)) throw thrown;
      return refusal(thrown, { error: thrown.code, message: thrown.message });
    }
  });
}
