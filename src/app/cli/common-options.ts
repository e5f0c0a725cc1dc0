/** Options that many commands have. */

export const WORKSPACE = { value: "SLUG", description: "The workspace", required: true } as export const satisfies Option;

export const JSON_OPTION = { json: { description: "Print JSON" } } as export const satisfies Record<string, Option>;
