import { Ellipsis, UserPlus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useSession, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../components/fields.tsx";
import { Menu } from "../../components/menu.tsx";
import { SectionTitle } from "../../components/page.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";

type Role = "admin" | "contributor" | "viewer";

interface Person {
  email: string;
  role: Role;
  groups: string[];
  attributes: Record<string, string>;
}

interface Member extends Person {
  user_id: number;
  name: string;
  disabled: boolean;
}

interface MemberList {
  members: Member[];
  invitations: (Person & { expires_at: string })[];
  groups: string[];
}

const LIST = "divide-y divide-line rounded-card border border-line bg-card";

export function Members() {
  const { slug } = useWorkspace();
  const { user } = useSession();
  const [edited, setEdited] = useState<Member | "new" | null>(null);
  const { data, error } = useTool<MemberList>("list_members");
  const remove = async (email: string) => {
    await callTool(slug, "remove_member", { email });
    await refresh(queries, slug, ["list_members"]);
    told(t`${email} belongs to this workspace no more.`);
  };
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <>
      <Button
        look="primary"
        className="self-start"
        icon={<UserPlus className="size-4" />}
        onClick={() => setEdited("new")}
      >
        {t`Invite`}
      </Button>
      <ul aria-label={t`Members`} className={LIST}>
        {data.members.map((member) => (
          <li key={member.user_id} className="flex items-center gap-3 px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                {member.name}
                {member.email === user.email && <Badge>{t`you`}</Badge>}
                {member.disabled && <Badge tone="warn">{t`disabled`}</Badge>}
              </p>
              <About person={member} />
            </div>
            <span className="text-soft text-table">{roleName(member.role)}</span>
            <Menu
              trigger={
                <IconButton label={t`More about ${member.name}`}>
                  <Ellipsis className="size-4" />
                </IconButton>
              }
              entries={[
                { label: t`Change`, onSelect: () => setEdited(member) },
                ...(member.email === user.email
                  ? []
                  : [
                      {
                        label: t`Remove`,
                        onSelect: () => void remove(member.email).catch(toldError),
                        danger: true,
                      },
                    ]),
              ]}
            />
          </li>
        ))}
      </ul>
      {data.invitations.length > 0 && (
        <>
          <SectionTitle>{t`Invited`}</SectionTitle>
          <ul aria-label={t`Invited`} className={LIST}>
            {data.invitations.map((person) => (
              <li key={person.email} className="flex items-center gap-3 px-4 py-2.5">
                <div className="min-w-0 flex-1">
                  <About person={person} />
                  <p className="text-caption text-faint">
                    {t`The link ends`} <When at={person.expires_at} />
                  </p>
                </div>
                <span className="text-soft text-table">{roleName(person.role)}</span>
                <Button small look="danger" onClick={() => void remove(person.email).catch(toldError)}>
                  {t`Take back`}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {edited !== null && (
        <MemberDialog member={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

function About({ person: { email, groups, attributes } }: { person: Person }) {
  const facts = [...groups, ...Object.entries(attributes).map(([name, value]) => `${name}: ${value}`)];
  return (
    <p className="truncate text-soft text-table">
      {email}
      {facts.length > 0 && <span className="text-faint"> · {facts.join(", ")}</span>}
    </p>
  );
}

function MemberDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { slug } = useWorkspace();
  const { user } = useSession();
  const [form, setForm] = useState({
    email: member?.email ?? "",
    role: member?.role ?? ("viewer" as Role),
    groups: member?.groups.join(", ") ?? "",
    attributes: Object.entries(member?.attributes ?? {})
      .map(([name, value]) => `${name} = ${value}`)
      .join("\n"),
  });
  const [link, setLink] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const set =
    (name: keyof typeof form) =>
    ({ target }: { target: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: target.value }));
  const save = async () => {
    setError(null);
    try {
      const wish = {
        email: form.email.trim(),
        ...(member?.email !== user.email && { role: form.role }),
        groups: form.groups.split(",").flatMap((name) => name.trim() || []),
        attributes: attributesIn(form.attributes, member?.attributes ?? {}),
      };
      const done = await callTool<{ invitation?: { link: string } }>(slug, "set_member", wish);
      await refresh(queries, slug, ["list_members"]);
      if (done.invitation !== undefined) setLink(done.invitation.link);
      else {
        told(t`Saved.`);
        onClose();
      }
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={member === null ? t`Invite` : member.name}
      footer={
        link === null ? (
          <Button look="primary" disabled={form.email.trim() === ""} onClick={() => void save()}>
            {member === null ? t`Make invitation` : t`Save`}
          </Button>
        ) : (
          <Button onClick={onClose}>{t`Done`}</Button>
        )
      }
    >
      {link === null ? (
        <div className="flex flex-col gap-4">
          {error !== null && <ErrorNote error={error} />}
          {member === null && (
            <TextField label={t`E-mail`} type="email" value={form.email} onChange={set("email")} autoFocus />
          )}
          <SelectField
            label={t`Role`}
            value={form.role}
            onChange={set("role")}
            disabled={member?.email === user.email}
            hint={roleHint(form.role)}
          >
            {(["viewer", "contributor", "admin"] as const).map((role) => (
              <option key={role} value={role}>
                {roleName(role)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t`Groups`}
            value={form.groups}
            onChange={set("groups")}
            placeholder={t`sales, finance`}
          />
          <TextArea
            label={t`Attributes`}
            rows={2}
            value={form.attributes}
            onChange={set("attributes")}
            placeholder="region = DE"
          />
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <p>{t`Give ${form.email} this link: with it they join, and choose a password of their own. It works for a week and is shown now only.`}</p>
          <CopyField label={t`Link`} text={link} />
        </div>
      )}
    </Dialog>
  );
}

/** What is not there any more is taken away. */
function attributesIn(text: string, before: Record<string, string>): Record<string, string | null> {
  const given = text.split("\n").flatMap((line) => {
    const [name = "", ...value] = line.split("=");
    return name.trim() === "" ? [] : [[name.trim(), value.join("=").trim()] as const];
  });
  const gone = Object.keys(before).filter((name) => !given.some(([own]) => own === name));
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...given]);
}

function roleName(role: Role): string {
  return { admin: t`Admin`, contributor: t`Contributor`, viewer: t`Viewer` }[role];
}

function roleHint(role: Role): string {
  return {
    admin: t`Everything, members and policies included.`,
    contributor: t`Brings in data, makes dashboards, models and documents.`,
    viewer: t`Asks, reads and looks, and changes nothing.`,
  }[role];
}
