import { AppError } from "../kernel/errors.ts";
import type { ClientLink } from "./context.ts";

/** For calls behind which there is nobody to ask and nothing to report progress to, such as those over plain REST. */
export const NO_CLIENT: ClientLink = {
  canElicit: false,
  canSample: false,
  showsApps: false,
  show: () => undefined,
  progress: () => undefined,
  log: () => undefined,
  step: (_key, work) => work(),
  elicit: refuseToAsk,
  sample: refuseToAsk,
  ask: refuseToAsk,
  listToolset: refuseToAsk,
};

async function refuseToAsk(): Promise<never> {
  throw new AppError("unsupported", "This call needs an answer from its client.", {
    hint: "Use an MCP client for it.",
  });
}
