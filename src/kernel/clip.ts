/** The beginning of a text that came from outside, for a message: nobody needs megabytes back. */
export function clip(text: string, characters = 100): string {
  return text.length <= characters ? text : `${text.slice(0, characters).toWellFormed()}…`;
}
