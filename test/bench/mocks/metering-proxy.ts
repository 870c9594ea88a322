/** A metering proxy in front of DynamoDB. It requests ConsumedCapacity in every call and adds up the units. */
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { listen } from "../../../infra/local/http/listen.ts";

const Units = z.object({ CapacityUnits: z.number() });
const Consumed = z.object({
  TableName: z.string(),
  CapacityUnits: z.number(),
  Table: Units.optional(),
  GlobalSecondaryIndexes: z.record(z.string(), Units).optional(),
});
/** Batch calls return a list of consumed capacities; administrative calls return none. */
const Answer = z.looseObject({
  ConsumedCapacity: z.union([Consumed.transform((one) => [one]), z.array(Consumed)]).optional(),
  __type: z.string().optional(),
});

/** Calls that consume no capacity and report none. */
const FREE = /\.(CreateTable|DescribeTable|ListTables|UpdateTable|UpdateTimeToLive|DescribeTimeToLive)$/;

const unitsOf = (target: string, { ConsumedCapacity, __type: type }: z.output<typeof Answer>): number => {
  if (FREE.test(target)) return 0;
  // A failed condition costs the units of the item, here one unit. The engine does not report them.
  if (type?.endsWith("ConditionalCheckFailedException")) return 1;
  return ConsumedCapacity?.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0) ?? Number.NaN;
};

/** Calls that write, even if a condition fails. The service's PartiQL statements only insert and update. */
const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite|BatchExecuteStatement)/;

type ReadsAndWrites = { reads: number; writes: number };

/** `units` is the sum of `reads` and `writes`. `parts` has them by table, as `name`, and by index, as `name/index`. */
export type Metered = ReadsAndWrites & { calls: string[]; units: number; parts: Map<string, ReadsAndWrites> };

const nothing = (): Metered => ({ calls: [], units: 0, reads: 0, writes: 0, parts: new Map() });

/** The units of each table and index. */
const partsOf = ({ TableName, Table, GlobalSecondaryIndexes = {} }: z.output<typeof Consumed>): [string, number][] => [
  [TableName, Table?.CapacityUnits ?? 0],
  ...Object.entries(GlobalSecondaryIndexes).map(([index, { CapacityUnits }]): [string, number] => [
    `${TableName}/${index}`,
    CapacityUnits,
  ]),
];

/** The local cloud's removal of expired items. DynamoDB does this by itself, for free. */
const isExpiry = (target: string, { ConditionExpression }: { ConditionExpression?: string }) =>
  target.endsWith(".Scan") || ConditionExpression === "#ttl <= :now";

/** @param engine the endpoint of the engine behind the proxy. */
export const startMeteringProxy = async (engine: string) => {
  let metered = nothing();

  const forward = async (request: IncomingMessage) => {
    const target = String(request.headers["x-amz-target"]);
    const sent = { ...JSON.parse(await text(request)), ReturnConsumedCapacity: "INDEXES" };
    const response = await fetch(engine, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": target,
        authorization: String(request.headers.authorization),
        "x-amz-date": String(request.headers["x-amz-date"]),
      },
      body: JSON.stringify(sent),
    });
    const parsed = Answer.parse(await response.json());
    const { ConsumedCapacity: _, ...answer } = parsed;
    if (isExpiry(target, sent)) return { status: response.status, body: JSON.stringify(answer) };
    const name = target.split(".").at(-1) ?? "";
    const units = unitsOf(target, parsed);
    const kind = WRITES.test(name) ? "writes" : "reads";
    metered.calls.push(name);
    metered.units += units;
    metered[kind] += units;
    for (const [part, partUnits] of (parsed.ConsumedCapacity ?? []).flatMap(partsOf)) {
      const sum = metered.parts.get(part) ?? { reads: 0, writes: 0 };
      sum[kind] += partUnits;
      metered.parts.set(part, sum);
    }
    return { status: response.status, body: JSON.stringify(answer) };
  };

  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, body }) => response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(body),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  const { url, close } = await listen(server, 0);

  return {
    endpoint: url,
    /** The calls and units since the last read. The units are NaN if a call did not report its capacity. */
    read: (): Metered => {
      const read = metered;
      metered = nothing();
      return read;
    },
    stop: () => close(),
  };
};
