export {
  type Connection,
  isFailureReason,
  LanguageModels,
  PROVIDER_KINDS,
  type Prompt,
  type ProviderKind,
  type Tokens,
} from "./language-models.ts";
