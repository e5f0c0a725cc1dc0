import { answerQuestions } from "../../platform/workers/index.ts";
import { sectionsOf } from "./splitter.ts";

answerQuestions(sectionsOf);
