import { answerQuestions } from "../../../platform/workers/index.ts";
import { findValues } from "./find-values.ts";

answerQuestions(findValues);
