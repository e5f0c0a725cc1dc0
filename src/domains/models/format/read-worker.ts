/**
 * Runs in a thread of its own and reads files of strangers, one reading at a time. What is imported here is loaded
 * for every such thread: none of it may load a whole slice.
 */
import { answerQuestions } from "../../../platform/workers/index.ts";
import { readModels } from "./read-models.ts";

// A hostile file makes the parser throw tens of thousands of errors, and their stacks would take most of the time.
Error.stackTraceLimit = 2;

answerQuestions(readModels);
