export { type Answers, answerCalls, answerQuestions, NotHeld } from "./answers.ts";
export type { ProcessCall } from "./process-worker.ts";
export { ThreadCaller, ThreadLost } from "./thread-caller.ts";
export { WorkerPool } from "./worker-pool.ts";
