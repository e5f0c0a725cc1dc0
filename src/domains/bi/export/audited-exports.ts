import type { Caller } from "../../../registry/caller.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { audited } from "../../identity/index.ts";
import { type ExportedFile, Exports } from "./exports.ts";

/** Every file that is made of a dashboard or widget is in the audit log, whoever asked for it and in which way. */
export class AuditedExports extends Exports {
  readonly #audit: Pick<AuditSink, "record">;

  constructor(parts: ConstructorParameters<typeof Exports>[0], audit: Pick<AuditSink, "record">) {
    super(parts);
    this.#audit = audit;
  }

  override make(...args: Parameters<Exports["make"]>): Promise<ExportedFile> {
    const [caller, { type, id, format }] = args;
    return this.#record(caller, type, String(id), format, () => super.make(...args));
  }

  override together(...args: Parameters<Exports["together"]>): Promise<ExportedFile> {
    const [caller, { widgetIds }] = args;
    return this.#record(caller, "widget", widgetIds.join(","), "pdf", () => super.together(...args));
  }

  #record<T>(
    caller: Caller,
    resourceType: string,
    resourceId: string,
    format: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const what = { action: `${resourceType}.export`, resourceType, resourceId, metadata: { format } };
    return audited(this.#audit, { caller, ...what }, work);
  }
}
