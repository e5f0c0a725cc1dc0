import { AppError } from "../../../kernel/errors.ts";
import type { Caller, CallMeta } from "../../../registry/caller.ts";
import { type ModelsServices, type PublishedModel, requireModel } from "../../models/index.ts";
import type { Elsewhere } from "../define.ts";

/** Questions read models, which a token may be kept from although it may ask. */
export function requireReading({ permissions }: Caller): void {
  if (permissions.includes("ontologies:read")) return;
  const missing = ["ontologies:read"];
  throw new AppError("forbidden", "Insufficient permissions: ontologies:read is missing.", {
    hint: "Use a token with that scope.",
    data: { required: ["data_agent:write", ...missing], missing },
  });
}

interface Asking {
  models: ModelsServices["models"];
  elsewhere: Elsewhere;
  caller: Caller;
  meta: CallMeta;
}

/** The model that is named, or the only one that there is. */
export async function findModel(asking: Asking, name: string | undefined): Promise<PublishedModel> {
  if (name !== undefined) return requireModel(asking, name);
  const known = await asking.models.summaries(asking.caller);
  const [only, ...others] = known;
  if (only === undefined) {
    throw new AppError("not_found", "There is no published semantic model to ask.", {
      hint: `Publish one first.${await asking.elsewhere(asking.caller)}`,
    });
  }
  if (others.length === 0) return requireModel(asking, only.uuid);
  const names = known.slice(0, 20).map((each) => each.name);
  throw new AppError("bad_request", "There are several semantic models, so model is required.", {
    hint: `One of: ${names.join(", ")}${known.length > names.length ? ", …" : ""}.`,
  });
}
