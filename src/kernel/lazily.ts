/** Opens once, when it is first asked for; what failed or is no longer good is opened anew by the next who asks. */
export function lazily<T>(
  open: () => Promise<T>,
  isGood: (opened: T) => boolean = () => true,
): () => Promise<T> {
  let kept: Promise<T> | undefined;
  const openOnce = () => {
    if (kept !== undefined) return kept;
    const opening = open();
    kept = opening;
    opening.catch(() => {
      if (kept === opening) kept = undefined;
    });
    return opening;
  };
  return async () => {
    const first = openOnce();
    const opened = await first;
    if (isGood(opened)) return opened;
    if (kept === first) kept = undefined;
    return openOnce();
  };
}
