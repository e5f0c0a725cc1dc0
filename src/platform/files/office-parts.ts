import { posix } from "node:path";
import { localName, type XmlEvents, XmlStream } from "./xml-stream.ts";
import type { ZipEntry, ZipFile } from "./zip.ts";

/** For one XML file inside a zip file; names come without their prefixes, which are free. */
export function entryStream({ open, text, close }: Partial<XmlEvents>, what: string): XmlStream {
  return new XmlStream(
    {
      open: (name, attributes) => open?.(localName(name), attributes),
      text: (piece) => text?.(piece),
      close: (name) => close?.(localName(name)),
    },
    { what, countLines: false },
  );
}

export async function readXmlEntry(
  zip: ZipFile,
  entry: ZipEntry,
  events: Partial<XmlEvents>,
  what = "The file",
): Promise<void> {
  const stream = entryStream(events, what);
  for await (const chunk of zip.read(entry)) stream.write(chunk);
  stream.end();
}

/** One part of an Office file that another one refers to. */
export interface Relation {
  id: string;
  /** The last word of its type, which is the same in both editions of the standard. */
  type: string;
  target: string;
}

/** Relationships of a part of an Office file; without a part, those of the package. */
export async function readRelations(zip: ZipFile, part = "", what?: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const entry = zip.find(posix.join(folder, "_rels", `${posix.basename(part)}.rels`));
  const relations: Relation[] = [];
  if (entry === undefined) return relations;
  await readXmlEntry(
    zip,
    entry,
    {
      open(name, { Id = "", Type = "", Target = "", TargetMode }) {
        if (name !== "Relationship" || TargetMode === "External") return;
        const target = Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target);
        relations.push({ id: Id, type: Type.split("/").at(-1) ?? "", target });
      },
    },
    what,
  );
  return relations;
}

/** The id by which an element refers to another part, whatever its prefix is. */
export function relationIn(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes).find(([name]) => /:id$/.test(name))?.[1] ?? "";
}
