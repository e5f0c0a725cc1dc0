/** A semantic query that this model cannot carry; the message says why to whoever asked. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}
