import { z } from "zod";
import { list, type Setting, type SettingTree } from "../settings/index.ts";
import { isAllowEntry } from "./url-policy.ts";

function hostsOrNetworks(name: string, description: string): Setting<string[]> {
  const item = z.string().toLowerCase().refine(isAllowEntry);
  const allowed =
    "host names with or without a port, IP addresses or networks, such as `files.internal`, `files.internal:9000`, `192.168.1.5` or `10.0.0.0/8`";
  return list(name, item, allowed, description);
}

export const FETCH_SETTINGS = {
  security: {
    allowPrivateUrls: hostsOrNetworks(
      "KENNING_ALLOW_PRIVATE_URLS",
      "Private or link-local targets that Kenning may fetch when a caller gives it a URL, or connect to when a datasource names them: `host` (on every port), `host:port`, an address or a network. All others of that sort are refused.",
    ),
  },
} as const satisfies SettingTree;
