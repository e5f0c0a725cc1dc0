/** The recipient does not take it and never will: no further try. */
export class Refused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Refused";
  }
}

/** The recipient says when to try again. */
export class TryLater extends Error {
  readonly afterMs: number;

  constructor(reason: string, afterMs: number) {
    super(reason);
    this.name = "TryLater";
    this.afterMs = afterMs;
  }
}
