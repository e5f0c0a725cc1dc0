import { generatePassword } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Role } from "../../kernel/permissions.ts";
import { forgetFirstPassword } from "../admin-password.ts";
import { loadConfig } from "../config.ts";
import type { Terminal } from "./command.ts";
import { printListing } from "./output.ts";
import { withIdentity } from "./with-services.ts";

interface OfAccount {
  args: { email: string };
}

interface CreateInput extends OfAccount {
  options: { workspace: string; role: Role; name: string | undefined; "password-stdin": boolean };
}

export async function createUser({ args, options }: CreateInput, terminal: Terminal): Promise<number> {
  const { workspace, role, name } = options;
  const password = options["password-stdin"] ? await readPassword(terminal) : undefined;
  const { member, generatedPassword } = await withIdentity(({ users }) =>
    users.create({
      email: args.email,
      workspace,
      role,
      ...(name === undefined ? {} : { name }),
      ...(password === undefined ? {} : { password }),
    }),
  );
  terminal.err(`${member.email} is now ${member.role} of ${member.workspace}.\n`);
  if (generatedPassword !== null) printPassword(generatedPassword, terminal);
  return 0;
}

export async function listUsers(
  { options }: { options: { workspace: string | undefined; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const filter = options.workspace === undefined ? {} : { workspace: options.workspace };
  const items = await withIdentity(({ users }) => users.list(filter));
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      email: ({ email }) => email,
      name: ({ name }) => name,
      workspace: ({ workspace }) => workspace,
      role: ({ role }) => role,
      attributes: ({ attributes }) =>
        Object.entries(attributes)
          .map(([name, value]) => `${name}=${value}`)
          .join(", "),
      state: ({ disabled }) => (disabled ? "disabled" : "active"),
      created: ({ createdAt }) => createdAt,
    },
    empty: "There is nobody yet; add someone with: kenning user create EMAIL --workspace SLUG --role ROLE",
  });
  return 0;
}

export async function disableUser({ args }: OfAccount, terminal: Terminal): Promise<number> {
  await withIdentity(({ users }) => users.disable(args.email));
  terminal.err(`${args.email} is disabled.\n`);
  return 0;
}

export async function enableUser({ args }: OfAccount, terminal: Terminal): Promise<number> {
  await withIdentity(({ users }) => users.enable(args.email));
  terminal.err(`${args.email} is enabled.\n`);
  return 0;
}

export async function unlinkUser({ args }: OfAccount, terminal: Terminal): Promise<number> {
  const links = await withIdentity(({ federation }) => federation.unlink(args.email));
  terminal.err(
    links === 0
      ? `${args.email} has signed in by no identity provider.\n`
      : `${args.email} is linked anew at the next sign-in by an identity provider.\n`,
  );
  return 0;
}

interface SetRoleInput extends OfAccount {
  options: { workspace: string; role: Role };
}

export async function setRole({ args, options }: SetRoleInput, terminal: Terminal): Promise<number> {
  const { workspace, role } = options;
  const member = await withIdentity(({ users }) => users.setRole({ email: args.email, workspace, role }));
  terminal.err(`${member.email} is now ${member.role} of ${member.workspace}.\n`);
  return 0;
}

interface SetAttributeInput {
  args: { email: string; attribute: string };
  options: { workspace: string; value: string | undefined; remove: boolean };
}

export async function setAttribute(
  { args, options }: SetAttributeInput,
  terminal: Terminal,
): Promise<number> {
  const { workspace, value, remove } = options;
  if ((value === undefined) !== remove) {
    throw new AppError("bad_request", "Say either what the attribute is, with --value, or --remove.");
  }
  const { email, attribute: name } = args;
  const member = await withIdentity(({ users }) =>
    users.setAttribute({ email, workspace, name, value: value ?? null }),
  );
  const end = value === undefined ? `has no attribute ${name} now` : `has the attribute ${name} now`;
  terminal.err(`${member.email} ${end} in ${member.workspace}.\n`);
  return 0;
}

interface SetPasswordInput extends OfAccount {
  options: { "password-stdin": boolean };
}

export async function setPassword({ args, options }: SetPasswordInput, terminal: Terminal): Promise<number> {
  const given = options["password-stdin"] ? await readPassword(terminal) : undefined;
  const password = given ?? generatePassword();
  await withIdentity(({ users }) => users.setPassword(args.email, password));
  forgetFirstPassword(loadConfig().storage.home, args.email);
  terminal.err(`The password of ${args.email} is changed.\n`);
  if (given === undefined) printPassword(password, terminal);
  return 0;
}

/** A line typed or echoed ends with a line break that is no part of the password. */
async function readPassword(terminal: Terminal): Promise<string> {
  return (await terminal.readAll()).replace(/\r?\n$/, "");
}

function printPassword(password: string, terminal: Terminal): void {
  terminal.err("The password, shown only this once:\n");
  terminal.out(`${password}\n`);
}

interface OfGroup {
  args: { group: string };
  options: { workspace: string };
}

interface OfMember extends OfGroup {
  args: { group: string; email: string };
}

export async function createGroup({ args, options }: OfGroup, terminal: Terminal): Promise<number> {
  const { workspace } = options;
  const { id, name } = await withIdentity(({ groups }) => groups.create({ workspace, name: args.group }));
  terminal.err(`Made the group ${name} with the id ${id} in ${workspace}.\n`);
  return 0;
}

export async function listGroups(
  { options }: { options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withIdentity(({ groups }) => groups.list(options.workspace));
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      members: ({ members }) => members.join(", "),
    },
    empty: "There are no groups yet; make one with: kenning group create NAME --workspace SLUG",
  });
  return 0;
}

export async function addToGroup({ args, options }: OfMember, terminal: Terminal): Promise<number> {
  await withIdentity(({ groups }) => groups.addMember({ ...options, ...args }));
  terminal.err(`${args.email} is in ${args.group} now.\n`);
  return 0;
}

export async function removeFromGroup({ args, options }: OfMember, terminal: Terminal): Promise<number> {
  await withIdentity(({ groups }) => groups.removeMember({ ...options, ...args }));
  terminal.err(`${args.email} is not in ${args.group} any more.\n`);
  return 0;
}
