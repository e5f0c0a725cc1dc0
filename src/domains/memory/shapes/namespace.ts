/** Relations, classes (tags in small letters) and properties of memories have names in it: `k:FOR_CLIENT`, `k:client`. */
export const NAMESPACE = "urn:kenning:memory#";
