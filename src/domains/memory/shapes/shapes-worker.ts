import { answerQuestions } from "../../../platform/workers/index.ts";
import { checkRelation } from "./check-relation.ts";

answerQuestions(checkRelation);
