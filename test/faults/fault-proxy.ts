/**
 * A proxy between clients and a service, which makes faults. For AWS it stands in front of the local cloud's gateway, so
 * each call keeps its function's access key, and the gateway checks the function's role as always. Or it stands in front
 * of the embedded engine or of the provider.
 *
 *   const proxy = await startFaultProxy(engine.endpoint);
 *   const client = engine.client({ endpoint: proxy.url });
 *   proxy.use(followPlan({ call: "dynamodb:BatchWriteItem:items#1", fault: "unprocessed", times: "twice" }));
 *   …                       // calls of the client
 *   proxy.requests();       // what arrived, in order, with the fault of each
 *   proxy.use(undefined);   // passes on everything again, forgets the requests, ends hanging ones
 *   await proxy.close();
 */
import { Agent, createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { signerOf } from "../../infra/local/gateway/credentials.ts";
import { readS3Request } from "../../infra/local/gateway/s3-request.ts";
import { listen } from "../../infra/local/http/listen.ts";
import { type Answer, faults, type Outcome, type ProxiedRequest, type SeenRequest, type Service } from "./fault.ts";
import type { ChooseFault } from "./fault-plan.ts";
import { shortName } from "./tables.ts";

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

const HOP_BY_HOP = ["connection", "content-length", "host", "keep-alive", "transfer-encoding", "x-amz-crc32"];

const passedOn = (headers: IncomingMessage["headers"]): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.includes(name) ? [] : [[name, value]],
    ),
  );

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

const namesIn = (body: unknown, field: string): string[] => {
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === field && typeof value === "string" ? [value] : namesIn(value, field),
  );
};

/** A queue's name without the stack's prefix and the hash, from a URL such as `https://sqs…/000000000000/name`. */
const shortQueueName = (url: string): string =>
  /-([A-Za-z]+)[0-9A-F]{8}(-|$)/.exec(url.replace(/.*\//, ""))?.[1] ?? url;

const resourceOf = (service: string, json: unknown): string => {
  const batch = typeof json === "object" && json !== null && "RequestItems" in json ? json.RequestItems : undefined;
  const statements = namesIn(json, "Statement").flatMap((text) => /(?<=^[A-Z ]+")[^"]+/.exec(text)?.[0] ?? []);
  const tables = [...namesIn(json, "TableName"), ...(batch ? Object.keys(batch) : []), ...statements].map(shortName);
  const queues = namesIn(json, "QueueUrl").map(shortQueueName);
  const names = service === "events" ? namesIn(json, "DetailType") : [...tables, ...queues];
  return [...new Set(names)].sort().join("+");
};

/** A segment of a path that is an id, such as `cus_x1`. */
const ID = /^[a-z]+_[A-Za-z0-9_]+$/;

let calls = 0;

/** Names a request. Requests without AWS's signature are the provider's. */
const describe = ({ method = "GET", url = "/", headers }: IncomingMessage, body: Buffer): ProxiedRequest => {
  const json = parse(body);
  const signer = signerOf(headers.authorization);
  if (signer === undefined) {
    const path = (url.split("?", 1)[0] ?? "").split("/").map((segment) => (ID.test(segment) ? "*" : segment));
    return { service: "provider", operation: method, resource: path.join("/"), callId: String(calls++), json };
  }
  // SES has a REST protocol.
  const operation = String(headers["x-amz-target"] ?? method).replace(/^.*\./, "");
  const ofS3 = signer.service === "s3" ? readS3Request({ method, target: url, headers: {} }) : undefined;
  return {
    service: signer.service as Service,
    operation: ofS3?.operation ?? operation,
    resource: ofS3?.bucket ?? resourceOf(signer.service, json),
    callId: String(headers["amz-sdk-invocation-id"] ?? calls++),
    json,
  };
};

const write = (response: ServerResponse, { status, headers, body }: Answer, part = body): void => {
  // With a Date header the SDK would assume a wrong clock (infra/local/gateway/gateway.ts).
  response.sendDate = false;
  response.writeHead(status, { ...headers, "content-length": body.length });
  if (part === body) response.end(body);
  else response.write(part, () => response.destroy());
};

/** @param target the URL of the gateway, the engine or the provider. */
export const startFaultProxy = async (target: string) => {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  let choose: ChooseFault | undefined;
  let seen: SeenRequest[] = [];
  const hanging = new Set<ServerResponse>();

  const forward = (request: IncomingMessage, body: Buffer) =>
    new Promise<Answer>((resolve, reject) => {
      const { method, url: path, headers } = request;
      const sent = { ...passedOn(headers), "content-length": String(body.length) };
      requestHttp({ agent, hostname, port, method, path, headers: sent })
        .once("response", (answer) =>
          buffer(answer).then(
            (bytes) => resolve({ status: answer.statusCode ?? 500, headers: passedOn(answer.headers), body: bytes }),
            reject,
          ),
        )
        .once("error", reject)
        .end(body);
    });

  const conclude = (response: ServerResponse, outcome: Outcome): void => {
    if (outcome === "hang") hanging.add(response);
    else if (outcome === "reset") response.socket?.resetAndDestroy();
    else if ("broken" in outcome) {
      const { broken } = outcome;
      write(response, broken, broken.body.subarray(0, Math.floor(broken.body.length / 2)));
    } else write(response, outcome);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const described = describe(request, body);
    const fault = choose?.(described);
    seen.push(fault === undefined ? described : { ...described, fault });
    const pass = (json?: unknown) => forward(request, json === undefined ? body : Buffer.from(JSON.stringify(json)));
    conclude(response, fault === undefined ? await pass() : await faults[fault].outcome(described, pass));
  };

  const server = createServer((request, response) => {
    response.once("close", () => hanging.delete(response));
    // The client gave up, or the service behind is stopping.
    serve(request, response).catch(() => response.destroy());
  });
  // As at the gateway: a frozen function does not notice that an idle connection is closed.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  const { url } = await listen(server, 0);

  return {
    url,
    /** Makes these faults from now on; undefined: none. Forgets earlier requests, and breaks off those that hang. */
    use(chooseFault: ChooseFault | undefined): void {
      choose = chooseFault;
      seen = [];
      for (const response of hanging) response.destroy();
    },
    /** The requests since the last `use`, each attempt by itself, in the order of arrival. */
    requests: (): readonly SeenRequest[] => seen,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
};
