import { answerQuestions } from "../../platform/threads/index.ts";
import { sectionsOf } from "./splitter.ts";

answerQuestions(sectionsOf);
