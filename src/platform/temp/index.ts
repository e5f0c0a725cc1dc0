export { ownedTempName, sweepLeftovers } from "./owned-temp.ts";
