import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { AppError } from "../../kernel/errors.ts";

const VERSION = "v1";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Passwords, keys and tokens, not files. */
const LONGEST_SECRET_BYTES = 64 * 1024;

/**
 * Secrets at rest. The context says whose secret it is ("datasource:12:password"): a sealed text that is moved
 * to another row does not open there. The form is `v1.<key id>.<nonce, ciphertext and tag in base64url>`.
 */
export interface Vault {
  seal(secret: string | Secret, context: string): string;
  open(sealed: string, context: string): Secret;
}

interface VaultKey {
  id: string;
  key: Buffer;
}

export function createVault({ root }: { root: string }): Vault {
  const current = keyOf(root);

  return {
    seal(secret, context) {
      const text = typeof secret === "string" ? secret : secret.reveal();
      return `${VERSION}.${current.id}.${encrypt(current.key, text, context).toString("base64url")}`;
    },
    open(sealed, context) {
      const { keyId, body } = parse(sealed);
      if (keyId !== current.id) throw lost("it was sealed with another root secret");
      return new Secret(decrypt(current.key, body, context));
    },
  };
}

/** Tells root secrets apart without telling anything of them; it stands in each text that was sealed with one. */
export function rootId(root: string): string {
  return keyOf(root).id;
}

/** The id of the root secret that a text was sealed with. */
export function sealedWith(sealed: string): string {
  return parse(sealed).keyId;
}

function keyOf(root: string): VaultKey {
  return {
    id: deriveKey(root, `vault/${VERSION}/id`, 6).toString("base64url"),
    key: deriveKey(root, `vault/${VERSION}/key`),
  };
}

function encrypt(key: Buffer, text: string, context: string): Buffer {
  const plain = Buffer.from(text, "utf8");
  if (plain.length > LONGEST_SECRET_BYTES) {
    throw new AppError("too_large", `A secret is limited to ${LONGEST_SECRET_BYTES} bytes.`);
  }
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, body: Buffer, context: string): string {
  const nonce = body.subarray(0, NONCE_BYTES);
  const tag = body.subarray(body.length - TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(context));
  decipher.setAuthTag(tag);
  try {
    const plain = decipher.update(body.subarray(NONCE_BYTES, body.length - TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString("utf8");
  } catch {
    throw lost("it was changed, or it belongs to something else");
  }
}

function parse(sealed: string): { keyId: string; body: Buffer } {
  const match = /^v1\.([\w-]{8})\.([\w-]+)$/.exec(sealed);
  const body = Buffer.from(match?.[2] ?? "", "base64url");
  const keyId = match?.[1];
  if (keyId === undefined || body.length < NONCE_BYTES + TAG_BYTES)
    throw lost("it is not in the form of this vault");
  return { keyId, body };
}

function associatedData(context: string): Buffer {
  return Buffer.from(`${VERSION}\n${context}`, "utf8");
}

/** Never says more than why: neither the sealed text nor what might be inside. */
function lost(why: string): AppError {
  return new AppError("unavailable", `A stored secret cannot be opened: ${why}.`, {
    hint: "Start the server with the root secret it was stored with, or enter the secret again.",
  });
}

/** Fewer characters than this can be guessed. */
const ROOT_SECRET_MIN_CHARACTERS = 32;

/**
 * A key of its own for each purpose ("cookies", "downloads", "oauth-state"), all from one root secret: to know
 * one of them tells nothing about the others or the root.
 */
export function deriveKey(root: string, purpose: string, bytes = 32): Buffer {
  if (root.length < ROOT_SECRET_MIN_CHARACTERS) {
    throw new TypeError(`the root secret must have at least ${ROOT_SECRET_MIN_CHARACTERS} characters`);
  }
  return Buffer.from(hkdfSync("sha256", root, "", `kenning/${purpose}`, bytes));
}

const MASK = "[secret]";

/** A text that must not be seen: whoever prints, logs or serialises it gets "[secret]". */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one place that needs it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
