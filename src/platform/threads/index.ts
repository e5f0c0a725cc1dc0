export { type Answers, answerCalls, NotHeld } from "./answer-calls.ts";
export { answerQuestions, type Reply } from "./answer-questions.ts";
export { ThreadCaller, ThreadLost } from "./caller.ts";
export { ThreadPool } from "./thread-pool.ts";
