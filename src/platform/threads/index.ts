export { type Answers, answerCalls, NotHeld } from "./answer-calls.ts";
export { answerQuestions } from "./answer-questions.ts";
export { ThreadCaller, ThreadLost } from "./caller.ts";
export { ThreadPool } from "./thread-pool.ts";
