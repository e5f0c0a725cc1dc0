import { useState } from "react";
import { changePassword } from "../../api/account.ts";
import { useSession } from "../../api/hooks.ts";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/fields.tsx";
import { Card, SectionTitle } from "../../components/page.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";

const NONE = { current: "", password: "", again: "" };

export function Profile() {
  const { user, version } = useSession();
  const [form, setForm] = useState(NONE);
  const [error, setError] = useState<unknown>(null);
  const field = (name: keyof typeof form, label: string, autoComplete: string, hint?: string) => (
    <TextField
      label={label}
      type="password"
      autoComplete={autoComplete}
      {...(hint !== undefined && { hint })}
      value={form[name]}
      onChange={({ target }) => setForm((now) => ({ ...now, [name]: target.value }))}
    />
  );
  const save = async () => {
    setError(null);
    try {
      if (form.password !== form.again) throw new Error(t`The two new passwords are not the same.`);
      await changePassword(form.current, form.password);
      setForm(NONE);
      told(t`Your password is changed. Other browsers have to sign in again.`);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <Card className="flex flex-col gap-1 p-4">
        <p className="font-medium">{user.name}</p>
        <p className="text-soft">{user.email}</p>
        <p className="text-caption text-faint">Kenning {version}</p>
      </Card>
      <SectionTitle>{t`Password`}</SectionTitle>
      <form
        className="flex max-w-[360px] flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {error !== null && <ErrorNote error={error} />}
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        {field("current", t`Current password`, "current-password")}
        {field(
          "password",
          t`New password`,
          "new-password",
          t`At least 12 characters; a few random words are easy to remember.`,
        )}
        {field("again", t`New password again`, "new-password")}
        <Button type="submit" className="self-start" disabled={form.current === "" || form.password === ""}>
          {t`Change password`}
        </Button>
      </form>
    </>
  );
}
