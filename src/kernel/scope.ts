/**
 * Whose work something is: a workspace, or a person in it (`workspace/person`). Queues are fair between workspaces, and
 * below them between people, so that one of them cannot take the places of the others.
 */
export function scopeOf({ workspace, user }: { workspace: { id: number }; user: { id: number } }): string {
  return `${workspace.id}/${user.id}`;
}

/** The workspace of a scope. */
export function workspaceOf(scope: string): string {
  const end = scope.indexOf("/");
  return end === -1 ? scope : scope.slice(0, end);
}

/** Whether the work of one scope counts as work of another: of itself, or of its workspace. */
export function isWithin(scope: string, other: string): boolean {
  return scope === other || workspaceOf(scope) === other;
}
