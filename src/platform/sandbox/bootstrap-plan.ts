/** What the server tells a sandboxed process on its standard input. */
export interface BootstrapPlan {
  module: string;
  /** Whom to become; undefined when the server is not root and the process stays who it is. */
  user: { uid: number; gid: number } | undefined;
  maxParamsBytes: number;
  maxResultBytes: number;
}

export function parsePlan(text: string): BootstrapPlan {
  const { module, user, maxParamsBytes, maxResultBytes } = JSON.parse(text) as BootstrapPlan;
  return { module, user, maxParamsBytes, maxResultBytes };
}
