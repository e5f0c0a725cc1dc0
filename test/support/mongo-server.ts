import { createServer, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";
import { listen } from "./web-servers.ts";

export type MongoCommand = (command: Document) => Document;

const HELLO = {
  ...{ isWritablePrimary: true, helloOk: true, minWireVersion: 0, maxWireVersion: 25 },
  ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000, ok: 1 },
};

/** Speaks MongoDB's wire protocol (OP_MSG, and the OP_QUERY that a connection begins with); each test leaves none behind. */
export async function serveMongo(answer: MongoCommand): Promise<{ port: number; commands: Document[] }> {
  const commands: Document[] = [];
  const reply = (command: Document): Document => {
    if (command.hello || command.isMaster || command.ismaster) return HELLO;
    commands.push(command);
    return command.endSessions || command.killCursors ? { ok: 1 } : answer(command);
  };
  const port = await listen(
    createServer((socket: Socket) => {
      let waiting = Buffer.alloc(0);
      socket.on("data", (chunk) => {
        waiting = Buffer.concat([waiting, chunk]);
        while (waiting.length >= 16 && waiting.length >= waiting.readInt32LE(0)) {
          const message = waiting.subarray(0, waiting.readInt32LE(0));
          waiting = waiting.subarray(message.length);
          socket.write(replyTo(message, reply));
        }
      });
    }),
  );
  return { port, commands };
}

const OP_QUERY = 2_004;

function replyTo(message: Buffer, answer: MongoCommand): Buffer {
  const requestId = message.readInt32LE(4);
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const start = isQuery ? message.indexOf(0, 20) + 9 : 21;
  const body = Buffer.from(
    BSON.serialize(answer(BSON.deserialize(message.subarray(start, start + message.readInt32LE(start))))),
  );
  const before = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isQuery) before.writeInt32LE(1, 16);
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + before.length + body.length, 0);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(isQuery ? 1 : 2_013, 12);
  return Buffer.concat([head, before, body]);
}
