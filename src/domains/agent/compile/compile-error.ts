/** A semantic query that this model cannot carry; the message says why to whoever asked. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/** What comes of some work; undefined where the model cannot carry it. */
export function ifCarried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}
