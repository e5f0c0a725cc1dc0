import { once } from "../../kernel/concurrency.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";

/**
 * Streams for what the server says by itself have no end of their own. They get one here: after a time, when their
 * token or owner is no longer good, and no person may hold too many of them.
 */
export class StreamGuard {
  readonly #open = new Map<string, number>();

  /** Lets the stream of a response live only as long as it may. */
  guard(
    owner: string,
    response: Response,
    isStillGood: () => Promise<boolean>,
    onEnd: () => void = () => undefined,
  ): Response {
    const { body } = response;
    if (body === null || response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
      onEnd();
      return response;
    }
    this.#count(owner, 1);
    const reader = body.getReader();
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const end = () => {
      clearTimeout(oldAge);
      clearInterval(checks);
      this.#count(owner, -1);
      onEnd();
      reader.cancel().catch(() => undefined);
    };
    const endOnce = once(end);
    const close = () => {
      endOnce();
      try {
        controller.close();
      } catch {
        // It has been closed from the other side.
      }
    };
    const oldAge = setTimeout(close, LIMITS.session.streamMs).unref();
    const checks = setInterval(() => {
      isStillGood().then((good) => good || close(), close);
    }, LIMITS.session.streamCheckMs).unref();
    const guarded = new ReadableStream<Uint8Array>({
      start: (own) => {
        controller = own;
      },
      pull: async (own) => {
        const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
        if (value !== undefined) own.enqueue(value);
        if (done) close();
      },
      cancel: endOnce,
    });
    return new Response(guarded, { status: response.status, headers: response.headers });
  }

  /** Throws when this person holds as many streams as are allowed. */
  admit(owner: string): void {
    if ((this.#open.get(owner) ?? 0) < LIMITS.session.streamsPerUser) return;
    throw new AppError("rate_limited", `You hold ${LIMITS.session.streamsPerUser} open streams here.`, {
      hint: "Close one of them first.",
    });
  }

  #count(owner: string, by: 1 | -1): void {
    const open = (this.#open.get(owner) ?? 0) + by;
    if (open <= 0) this.#open.delete(owner);
    else this.#open.set(owner, open);
  }
}

/** The resources that streams of the newest revision listen to, by workspace; the SDK keeps that to itself. */
export class WatchedUris {
  readonly #streams = new Map<number, Set<readonly string[]>>();

  /** Gives back the function that forgets them again. */
  add(workspaceId: number, uris: readonly string[]): () => void {
    const own = [...uris];
    const streams = this.#streams.get(workspaceId) ?? new Set();
    this.#streams.set(workspaceId, streams.add(own));
    return () => {
      streams.delete(own);
      if (streams.size === 0) this.#streams.delete(workspaceId);
    };
  }

  /** Each once, however many listen. */
  of(workspaceId: number): string[] {
    return [...new Set([...(this.#streams.get(workspaceId) ?? [])].flat())];
  }

  workspaces(): number[] {
    return [...this.#streams.keys()];
  }
}
