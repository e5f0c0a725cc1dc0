export { type Token, tokenAt } from "./tokens.ts";
