export { answerQuestions, type Reply } from "./answer-questions.ts";
export { ThreadPool } from "./thread-pool.ts";
