import { AsyncLocalStorage } from "node:async_hooks";

/** Datasets that one call names in the audit log. */
const MOST = 100;

const current = new AsyncLocalStorage<Set<number>>();

/** Runs a call, and notes whose rows it reads, however deep below: the audit log is asked who read a dataset. */
export function notingDatasets<T>(read: Set<number>, work: () => Promise<T>): Promise<T> {
  return current.run(read, work);
}

/** The call that runs now is about to read rows of this dataset, or to change them. */
export function noteDataset(id: number): void {
  const read = current.getStore();
  if (read !== undefined && read.size < MOST) read.add(id);
}

/** Those that the call has read or changed so far. */
export function readDatasets(): number[] {
  return [...(current.getStore() ?? [])];
}
