/**
 * A tool in a text for callers is written `{tool:get_details}`, or `{tool:create_query(replace)}` where the sentence
 * is about one of its arguments: each surface has names of its own for tools, and not all of them.
 */
const MENTION = /\{tool:([a-z_]+)(?:\(([a-z0-9_]+)\))?\}/g;

export interface ToolMention {
  /** The plain name. */
  tool: string;
  argument: string | undefined;
}

export function toolMentions(text: string): ToolMention[] {
  return [...text.matchAll(MENTION)].map(([, tool = "", argument]) => ({ tool, argument }));
}

export function nameTools(text: string, nameOf: (mention: ToolMention) => string): string {
  return text.replace(MENTION, (_, tool: string, argument?: string) => nameOf({ tool, argument }));
}

/** The text with the plain names of `/mcp`: for readers who are on no surface, such as those of the command line. */
export function plainToolNames(text: string): string {
  return nameTools(text, ({ tool }) => tool);
}
