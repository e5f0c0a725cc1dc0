import { and, eq } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { CatalogDb, CatalogTx } from "../../../platform/catalog/index.ts";
import { accounts, members, workspaces } from "../identity.tables.ts";
import type { Member } from "../identity.ts";
import { isSlug, requireEmail } from "./names.ts";

export const memberColumns = {
  userId: accounts.id,
  email: accounts.email,
  name: accounts.name,
  workspace: workspaces.slug,
  role: members.role,
  attributes: members.attributes,
  disabledAt: accounts.disabledAt,
  createdAt: members.createdAt,
};

type MemberRow = Omit<Member, "disabled"> & { disabledAt: Date | null };

export function memberFrom({ disabledAt, ...row }: MemberRow): Member {
  return { ...row, disabled: disabledAt !== null };
}

export interface FoundMember {
  workspaceId: number;
  accountId: number;
  email: string;
  workspace: string;
  disabled: boolean;
}

/** The member with this e-mail in this workspace, locked until the transaction ends; throws `not_found`. */
export async function requireMember(
  tx: CatalogTx | CatalogDb,
  email: string,
  slug: string,
): Promise<FoundMember> {
  const normal = requireEmail(email);
  const columns = {
    workspaceId: members.workspaceId,
    accountId: members.accountId,
    disabledAt: accounts.disabledAt,
  };
  // What cannot be a slug matches nothing; some of it PostgreSQL would not even compare.
  const wanted = isSlug(slug) ? slug : "";
  const [row] = await tx
    .select(columns)
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(accounts.email, normal), eq(workspaces.slug, wanted)))
    .for("update", { of: members });
  if (row === undefined) {
    throw new AppError("not_found", `${normal} is not a member of the workspace "${slug.slice(0, 63)}".`, {
      hint: "See: kenning user list",
    });
  }
  const { disabledAt, ...ids } = row;
  return { ...ids, email: normal, workspace: slug, disabled: disabledAt !== null };
}
