import { AppError } from "../../../kernel/errors.ts";

/** The grammar of HTML's e-mail field: what people can type everywhere, `admin@localhost` included. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const EMAIL_CHARACTERS = 254;

/** One spelling for each address: without spaces around it and in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Of an address in its normal spelling. */
export function isEmail(normal: string): boolean {
  return normal.length <= EMAIL_CHARACTERS && EMAIL.test(normal);
}

export function requireEmail(email: string): string {
  const normal = normaliseEmail(email);
  if (!isEmail(normal)) {
    throw new AppError("bad_request", `"${normal.slice(0, 80)}" is not an e-mail address.`, {
      hint: "It looks like name@example.org.",
    });
  }
  return normal;
}
