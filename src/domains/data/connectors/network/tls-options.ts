import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";

/**
 * As PostgreSQL's clients call them. "prefer": encrypted if the server can. "require": encrypted or not at all.
 * "verify-full": also, the certificate must be good and belong to the host.
 */
export const TLS_MODES = ["disable", "prefer", "require", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

export interface TlsSettings {
  host: string;
  tls: TlsMode;
  /** A certificate authority, in PEM. */
  ca?: string | undefined;
}

/** The certificate is checked against the host as it was given, not against the address it led to. */
export function tlsOptions({ host, tls, ca }: TlsSettings): ConnectionOptions {
  return {
    host,
    rejectUnauthorized: tls === "verify-full",
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}
