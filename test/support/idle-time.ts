import { vi } from "vitest";

/** Lets idle time pass without waiting: sessions expire by the clock that never goes back. */
export function movableIdleTime(): { advance(ms: number): void } & Disposable {
  const real = performance.now.bind(performance);
  let aheadMs = 0;
  const spy = vi.spyOn(performance, "now").mockImplementation(() => real() + aheadMs);
  return {
    advance(ms) {
      aheadMs += ms;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}
