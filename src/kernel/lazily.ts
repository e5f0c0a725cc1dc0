/** Opens once, when it is first asked for; what failed is tried again by the next who asks. */
export function lazily<T>(open: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept !== undefined) return kept;
    const opening = open();
    kept = opening;
    opening.catch(() => {
      if (kept === opening) kept = undefined;
    });
    return opening;
  };
}
