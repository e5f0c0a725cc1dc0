import { isAppError } from "../../../kernel/errors.ts";
import type { Drawings, Hover, Subject } from "../../../platform/drawing/index.ts";
import type { CallContext } from "../../../registry/context.ts";

/** The page that shows pictures inside clients that show apps. */
export const PICTURE_APP = "ui://kenning/chart";
/** Where the page finds its picture in the `_meta` of a result. */
const PICTURE_KEY = "kenning/picture";

type Showing = Pick<CallContext, "caller" | "meta" | "client" | "signal"> & { drawings: Drawings };

/** A picture in both themes, so that a change of theme asks nobody. */
export interface ThemedPicture {
  width: number;
  height: number;
  light: string;
  dark: string;
  hover: (Hover & { at?: number[] }) | null;
}

export async function themedPicture(
  subject: Subject,
  look: { width?: number; height?: number; locale?: string },
  { drawings, caller, signal }: Pick<Showing, "drawings" | "caller" | "signal">,
): Promise<ThemedPicture> {
  const looks = [
    { ...look, theme: "light" },
    { ...look, theme: "dark" },
  ] as const;
  const drawnFor = { scope: String(caller.workspace.id), signal };
  const [light, dark] = await drawings.svg(subject, looks, drawnFor);
  if (light === undefined || dark === undefined) throw new Error("a picture is missing");
  const { width, height, hover } = light;
  return { width, height, light: light.svg, dark: dark.svg, hover };
}

/** Adds the picture to a result: for the page of clients that show apps, and as an image for whoever asks for one. */
export async function showPicture(
  subject: Subject | undefined,
  isImage: boolean,
  showing: Showing,
): Promise<void> {
  if (subject === undefined) return;
  const { client, meta } = showing;
  await Promise.all([
    client.showsApps && orNothing(showing, () => showInApp(subject, showing, meta.surface === "all")),
    isImage && orNothing(showing, () => showAsImage(subject, showing), "The image could not be drawn"),
  ]);
}

async function showInApp(subject: Subject, showing: Showing, canRedraw: boolean): Promise<void> {
  const picture = await themedPicture(subject, {}, showing);
  showing.client.show({ meta: { [PICTURE_KEY]: { ...picture, subject, canRedraw } } });
}

async function showAsImage(subject: Subject, { drawings, caller, client, signal }: Showing): Promise<void> {
  const { png } = await drawings.png(subject, {}, { scope: String(caller.workspace.id), signal });
  const data = Buffer.from(png).toString("base64");
  client.show({ content: [{ type: "image", data, mimeType: "image/png" }] });
}

/** An answer is worth having without its picture. */
async function orNothing({ client }: Showing, work: () => Promise<void>, otherwise?: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error) || error.code === "cancelled") throw error;
    if (otherwise === undefined) return;
    client.show({ content: [{ type: "text", text: `⚠️ ${otherwise}: ${error.advice}` }] });
  }
}
