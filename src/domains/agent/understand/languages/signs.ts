/** Signs as people say them. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/[-=]+>|→/g, " "],
  [/>=|≥/g, " at least "],
  [/<=|≤/g, " at most "],
  [/!=|<>|≠|(?<=\s)!(?=\p{L})/gu, " not "],
  [/>/g, " more than "],
  [/</g, " less than "],
];

/** A question with words in the place of signs that compare: a sign that nobody reads would be left out. */
export function inWords(text: string): string {
  return SAID.reduce((said, [sign, words]) => said.replaceAll(sign, words), text);
}

/** Flags and pictures of things, signs of reckoning, and what is taken away by a sign before it. */
const UNREAD = /\p{RI}{2}|\p{Emoji_Presentation}|(?<=\S\s+)[×÷*~^](?=\s)|(?<=\S\s+)[-−](?=\p{L}{3})/gu;
/** Pictures that only say how something is meant. */
const MOODS =
  /[😀-🙏🤐-🤯🥰-🥺🫠-🫨👀-👏👋💡💪💫💬💯💰-💹📅📆📈-📊📌📝📣🔎🔍🔥🎉🎊🎯🏁🏆🚀✨✅⭐🌟🧐❓❔❗⏰⏳]/u;

/** A sign that tells things apart, and of which nobody can say how. */
export function unreadSign(text: string): { text: string; start: number; end: number } | undefined {
  const found = [...text.matchAll(UNREAD)].find(([sign]) => !MOODS.test(sign));
  if (found === undefined) return undefined;
  const [sign] = found;
  return { text: sign, start: found.index, end: found.index + sign.length };
}
