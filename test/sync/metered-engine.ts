/**
 * An in-memory engine behind a proxy that adds up the units of calls. The proxy requests ConsumedCapacity in every call
 * and searches the answers' text: parsing hundreds of thousands of answers would take as long as the engine.
 */
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../../infra/local/http/listen.ts";
import type { Units } from "../support/consumed-units.ts";
import { startEmbeddedDynamoDb } from "../support/embedded-dynamodb.ts";

const READS = ["GetItem", "BatchGetItem", "Query", "Scan"];

/** The first table that a call names. */
const TABLE = /"TableName":"([^"]+)"|"RequestItems":\{"([^"]+)"/;

const unitsIn = (answer: string): number =>
  [...answer.matchAll(/"CapacityUnits":([\d.]+)/g)].reduce((sum, [, units]) => sum + Number(units), 0);

export const startMeteredEngine = async () => {
  const engine = await startEmbeddedDynamoDb();
  const agent = new Agent({ keepAlive: true });
  const byTable = new Map<string, Units>();

  const count = (target: string, sent: string, answer: string): void => {
    const [, single, batch] = TABLE.exec(sent) ?? [];
    const table = single ?? batch ?? "";
    const units = byTable.get(table) ?? { read: 0, write: 0 };
    units[READS.includes(target.split(".").at(-1) ?? "") ? "read" : "write"] += unitsIn(answer);
    byTable.set(table, units);
  };

  const ask = (headers: IncomingMessage["headers"], sent: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { "content-length": _, ...others } = headers;
      const options = { method: "POST", agent, headers: { ...others, "content-length": Buffer.byteLength(sent) } };
      request(engine.endpoint, options, resolve).once("error", reject).end(sent);
    });

  const server = createServer((incoming, outgoing) => {
    const forward = async (): Promise<void> => {
      const body = (await buffer(incoming)).toString();
      const isAsked = body.includes('"ReturnConsumedCapacity"') || !body.endsWith("}") || body === "{}";
      const sent = isAsked ? body : `${body.slice(0, -1)},"ReturnConsumedCapacity":"TOTAL"}`;
      const answer = await ask(incoming.headers, sent);
      const text = (await buffer(answer)).toString();
      count(String(incoming.headers["x-amz-target"]), body, text);
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(text);
    };
    forward().catch((error: Error) => outgoing.writeHead(500).end(error.message));
  });
  const { url, close } = await listen(server, 0);

  return {
    endpoint: url,
    /** The units so far of tables whose name contains the text, including indexes. */
    units(name = ""): Units {
      const wanted = [...byTable].filter(([table]) => table.includes(name));
      return wanted.reduce((sum, [, { read, write }]) => ({ read: sum.read + read, write: sum.write + write }), {
        read: 0,
        write: 0,
      });
    },
    async stop(): Promise<void> {
      await close();
      agent.destroy();
      await engine.stop();
    },
  };
};
