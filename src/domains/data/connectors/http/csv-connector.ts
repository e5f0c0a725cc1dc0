export function createCsvConnector(..._: never[]): never { throw new Error("x"); }
