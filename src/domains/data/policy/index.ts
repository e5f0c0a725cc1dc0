/** A door of its own: whoever reads policies in a thread must not load all of this slice for it. */
export { type DatasetPolicy, datasetPolicy } from "../dataset.ts";
