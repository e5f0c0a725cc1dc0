import { answerQuestions } from "../../../platform/threads/index.ts";
import { checkRelation } from "./check-relation.ts";

answerQuestions(checkRelation);
