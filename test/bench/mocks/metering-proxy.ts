/** A proxy in front of DynamoDB that meters it: it asks for ConsumedCapacity in every call and adds up what comes back. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";

const Answer = z.looseObject({ ConsumedCapacity: z.object({ CapacityUnits: z.number() }).optional() });

export type Metered = { calls: string[]; units: number };

/** @param engine the endpoint that really answers. */
export const startMeteringProxy = async (engine: string) => {
  let metered: Metered = { calls: [], units: 0 };

  const forward = async (request: IncomingMessage) => {
    const target = String(request.headers["x-amz-target"]);
    const sent = { ...JSON.parse(await text(request)), ReturnConsumedCapacity: "TOTAL" };
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
    const { ConsumedCapacity, ...answer } = Answer.parse(await response.json());
    metered.calls.push(target.split(".").at(-1) ?? "");
    metered.units += ConsumedCapacity?.CapacityUnits ?? Number.NaN;
    return { status: response.status, body: JSON.stringify(answer) };
  };

  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, body }) => response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(body),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was metered since the last time; one call without an answer of its own makes the units NaN. */
    read: (): Metered => {
      const read = metered;
      metered = { calls: [], units: 0 };
      return read;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
