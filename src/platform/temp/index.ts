export { type FileLock, tryFileLock } from "./file-lock.ts";
export { abandonedNames, isInPlace, ownedName, ownedTempPath, sweepLeftovers } from "./owned-temp.ts";
