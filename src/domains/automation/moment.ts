/** A moment as people of a time zone write it. */
export function momentOf(at: Date, zone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: zone,
  });
  return `${format.format(at)} (${zone})`;
}
