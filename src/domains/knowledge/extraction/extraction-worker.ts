import { answerQuestions } from "../../../platform/threads/index.ts";
import { findValues } from "./find-values.ts";

answerQuestions(findValues);
