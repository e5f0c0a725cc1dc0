import PostalMime from "postal-mime";
import type { FileContent } from "./file-pages.ts";
import { htmlToMarkdown } from "./html.ts";

interface Address {
  name?: string | undefined;
  address?: string | undefined;
}

/** A message: who to whom, when, and what it says. What is attached is only named. */
export async function readMail(bytes: Uint8Array): Promise<FileContent> {
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: 50 });
  const lines = [
    ["From", who([mail.from])],
    ["To", who(mail.to)],
    ["Cc", who(mail.cc)],
    ["Date", mail.date],
  ].flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []));
  const body = mail.text?.trim() || htmlToMarkdown(mail.html ?? "");
  const markdown = [`# ${mail.subject?.trim() || "(no subject)"}`, lines.join("\n"), body].join("\n\n");
  const names = mail.attachments.map(({ filename }) => filename || "unnamed");
  const notes = names.length === 0 ? [] : [`Attachments are not read: ${names.slice(0, 10).join(", ")}.`];
  return { pages: [{ markdown }], notes };
}

function who(people: readonly (Address | undefined)[] | undefined): string {
  return (people ?? [])
    .map((person) => [person?.name, person?.address && `<${person.address}>`].filter(Boolean).join(" "))
    .filter((text) => text !== "")
    .join(", ");
}
