import type { SliceSpec } from "../../registry/slice.ts";
import type { Identity } from "../identity/index.ts";
import { Demo } from "./demo.ts";

export type { Demo } from "./demo.ts";

interface DemoServices {
  demo: Demo;
}

/** A workspace with the data, documents and memories of a company that does not exist, to try everything with. */
export const demoSlice: SliceSpec<"demo", DemoServices, { identity: Identity }> = {
  name: "demo",
  open({ admission, catalog, registry, clock, log }, { identity }) {
    const { authorizer, limiter, audit } = identity;
    const ports = { admission, authorizer, limiter, audit, log };
    const demo = new Demo({ catalog, registry, identity, ports, clock, log });
    return { services: { demo }, close: () => demo.close() };
  },
};
