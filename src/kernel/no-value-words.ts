/** What people and programs write where there is no value, in lower case. It counts beside values of another kind only. */
export const NO_VALUE_WORDS: readonly string[] = "na n/a #n/a n.a. null none \\n - -- --- – — . .. ?".split(
  " ",
);

export function isNoValueWord(text: string): boolean {
  return NO_VALUE_WORDS.includes(text.trim().toLowerCase());
}
