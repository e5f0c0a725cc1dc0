import { LIMITS } from "./limits.ts";

export interface StreamEvent {
  event: string;
  data: unknown;
}

/**
 * An answer as server-sent events. What is told on the way is dropped while the browser is behind with reading; the last
 * event is what `work` gives. A browser that leaves aborts the work.
 */
export function eventStream(
  request: Request,
  work: (tell: (event: StreamEvent) => void, signal: AbortSignal) => Promise<StreamEvent>,
): Response {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  request.signal.addEventListener("abort", leave, { once: true });
  let heartbeat: NodeJS.Timeout;
  const end = () => {
    clearInterval(heartbeat);
    request.signal.removeEventListener("abort", leave);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(stream) {
        const send = (text: string) => {
          if (!leaving.signal.aborted) stream.enqueue(encoder.encode(text));
        };
        const tell = (event: StreamEvent) => {
          if ((stream.desiredSize ?? 0) > 0) send(textOf(event));
        };
        heartbeat = setInterval(
          () => (stream.desiredSize ?? 0) > 0 && send(": still here\n\n"),
          LIMITS.console.heartbeatMs,
        );
        if (request.signal.aborted) leave();
        work(tell, leaving.signal)
          .then((last) => {
            send(textOf(last));
            if (!leaving.signal.aborted) stream.close();
          })
          .catch((error: unknown) => stream.error(error))
          .finally(end);
      },
      cancel() {
        leave();
      },
    },
    { highWaterMark: EVENTS_AHEAD },
  );
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

/** So many events may wait for the browser. */
const EVENTS_AHEAD = 16;

const encoder = new TextEncoder();

function textOf({ event, data }: StreamEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
