/**
 * Runs in a thread of its own and reads files of strangers, one reading at a time. What is imported here is loaded
 * for every such thread: none of it may load a whole slice.
 */
import { parentPort } from "node:worker_threads";
import { isAppError } from "../../../kernel/errors.ts";
import { type ModelFile, readModels } from "./read-models.ts";
import type { ReadAnswer } from "./reading-threads.ts";

// A hostile file makes the parser throw tens of thousands of errors, and their stacks would take most of the time.
Error.stackTraceLimit = 2;

function answerTo(files: readonly ModelFile[]): ReadAnswer {
  try {
    return { reading: readModels(files) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, hint, data } = error;
    return { refusal: { code, message, hint, data } };
  }
}

parentPort?.on("message", (files: readonly ModelFile[]) => parentPort?.postMessage(answerTo(files)));
