/** What may have changed of the resources of a workspace. */
export interface ResourceChange {
  workspaceId: number;
  /** The name under which it is defined; null for all that there are. */
  resource: string | null;
  /** Which of them: values that a parameter of the template may have. One that is not named may have any. */
  params: Readonly<Record<string, readonly string[]>>;
}

/** Whether a resource, by its name and the values in its address, is among what has changed. */
export function isChanged(
  { resource, params: changed }: ResourceChange,
  name: string,
  params: Readonly<Record<string, string>>,
): boolean {
  if (resource === null) return true;
  if (resource !== name) return false;
  return Object.entries(changed).every(([param, values]) =>
    values.some((value) => value.toLowerCase() === params[param]?.toLowerCase()),
  );
}
