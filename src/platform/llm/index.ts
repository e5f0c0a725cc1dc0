export {
  type Completion,
  type Connection,
  LanguageModels,
  PROVIDER_KINDS,
  type Prompt,
  type ProviderKind,
  type Tokens,
} from "./language-models.ts";
