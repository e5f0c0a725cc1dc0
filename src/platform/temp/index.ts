export { isLeftover, ownedTempName, sweepLeftovers } from "./owned-temp.ts";
