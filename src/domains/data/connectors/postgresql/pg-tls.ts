import { once } from "node:events";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AppError } from "../../../../kernel/errors.ts";
import { untilAborted } from "../deadline.ts";
import { type TlsSettings, tlsOptions } from "../network/tls-options.ts";

/** The length of the message and the number that asks for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Asks the server for TLS before anything else is said, as far as the setting wants it. The client library could
 * do this, too, but it knows no "prefer".
 */
export async function securePg(socket: Socket, settings: TlsSettings, signal: AbortSignal): Promise<Socket> {
  if (settings.tls === "disable") return socket;
  socket.write(SSL_REQUEST);
  const answer = await untilAborted(firstByte(socket), signal);
  if (answer === "S") return startTls(socket, settings, signal);
  if (answer === "N" && settings.tls === "prefer") return socket;
  throw new AppError(
    "unavailable",
    answer === "N" ? "The server knows no TLS." : "The server does not speak PostgreSQL's protocol.",
    { hint: answer === "N" ? 'Set tls to "prefer" if that is acceptable.' : "Check host, port and type." },
  );
}

/** Exactly one byte: what came behind it unencrypted could have been put there by anybody. */
async function firstByte(socket: Socket): Promise<string> {
  const failed = new Promise<never>((_, reject) => {
    const onClose = (): void => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    socket.once("error", reject).once("close", onClose);
  });
  failed.catch(() => undefined);
  const [chunk] = (await Promise.race([once(socket, "data"), failed])) as [Buffer];
  socket.pause();
  return chunk.length === 1 ? chunk.toString("latin1") : "";
}

async function startTls(socket: Socket, settings: TlsSettings, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({ ...tlsOptions(settings), socket });
  secured.on("error", () => undefined);
  try {
    await untilAborted(once(secured, "secureConnect"), signal);
  } catch (error) {
    secured.destroy();
    throw error;
  }
  return secured;
}
