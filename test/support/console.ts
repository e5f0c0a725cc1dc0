import type { Browser } from "./oauth-client.ts";

/** Calls a tool as a page of the console does, in a thread of questions if one is given. */
export async function callInConsole<T>(
  person: Browser,
  tool: string,
  args: object,
  { workspace = "acme", thread }: { workspace?: string; thread?: string } = {},
): Promise<T> {
  const response = await person.send(`/api/console/w/${workspace}/call/${tool}`, {
    method: "POST",
    headers: {
      ...{ "x-kenning-console": "1", "content-type": "application/json" },
      ...(thread !== undefined && { "x-kenning-thread": thread }),
    },
    body: JSON.stringify(args),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}
