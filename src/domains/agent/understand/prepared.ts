import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Language } from "./languages/language.ts";
import { type Lexicon, lexiconOf } from "./lexicon/lexicon.ts";
import { COMPARISON_RULES } from "./rules/comparison-rules.ts";
import { ENTITY_RULES } from "./rules/entity-rules.ts";
import { FIELD_RULES } from "./rules/field-rules.ts";
import { Grammar } from "./rules/grammar.ts";
import { GROUP_RULES, groupsOf, SUPERLATIVE_RULES } from "./rules/group-rules.ts";
import { HAVING_RULES, UNIT_RULES, VERB_RULES } from "./rules/having-rules.ts";
import { ROLE_RULES } from "./rules/roles.ts";
import { TABLE_RULES } from "./rules/table-rules.ts";

const RULES = [
  ENTITY_RULES,
  FIELD_RULES,
  TABLE_RULES,
  SUPERLATIVE_RULES,
  HAVING_RULES,
  COMPARISON_RULES,
  GROUP_RULES,
  UNIT_RULES,
  VERB_RULES,
  ROLE_RULES,
];

const known = new WeakMap<Knowledge, { grammar: Grammar; lexicons: Map<Language, Lexicon> }>();

/** What is made of a model once, however many questions there are. */
export function prepared(knowledge: Knowledge, language: Language): { lexicon: Lexicon; grammar: Grammar } {
  const { grammar, lexicons } = known.get(knowledge) ?? {
    grammar: new Grammar(knowledge, RULES, groupsOf),
    lexicons: new Map<Language, Lexicon>(),
  };
  const lexicon = lexicons.get(language) ?? lexiconOf(knowledge, language);
  known.set(knowledge, { grammar, lexicons: lexicons.set(language, lexicon) });
  return { lexicon, grammar };
}
