export function createRestConnector(..._: never[]): never { throw new Error("x"); }
