/**
 * The edges of the process: what leaves the product's code goes to the simulation that runs. HTTP is replaced below
 * Node's own client, so the provider's SDK and the fetch of the issuer's keys are real. DynamoDB is replaced at the
 * document client, whose middleware would cost most of a simulation's time (store-client.ts repeats what it does); S3
 * and SQS at their clients; the bus, KMS and Secrets Manager at the product's ports.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { EventEmitter } from "node:events";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { Readable, Transform } from "node:stream";
import zlib, { gunzipSync, gzipSync } from "node:zlib";
import type { SignCommand } from "@aws-sdk/client-kms";
import type { Input } from "./memory-dynamodb.ts";
import type { Fate, Network } from "./network.ts";
import { currentProcess } from "./scheduler.ts";
import { createStoreClient, type StoreAnswer } from "./store-client.ts";

export type HttpRequest = { host: string; method: string; path: string; headers: Record<string, string>; body: string };
export type HttpAnswer = { status: number; headers: Record<string, string>; body: string };

/** The other sides of a simulation. */
export type OtherSides = {
  network: Network;
  store: (operation: string, input: Input) => StoreAnswer;
  storeRefusals: (operation: string, input: Input) => readonly (() => StoreAnswer)[];
  http: (request: HttpRequest) => HttpAnswer;
  httpRefusals: (request: HttpRequest) => readonly (() => HttpAnswer)[];
  httpFate: (request: HttpRequest) => Fate | undefined;
  publish: (entries: readonly { DetailType: string; Detail: string }[]) => void;
  /** A call of S3 or SQS. */
  service: (operation: string, input: object) => object;
  serviceRefusals: (operation: string, input: object) => readonly (() => object)[];
};

let sides: OtherSides | undefined;

const other = (): OtherSides => {
  if (sides === undefined) throw new Error("No simulation runs.");
  return sides;
};

const STORE_TIMEOUT_MS = 1_500;
const BUS_TIMEOUT_MS = 1_000;
const SERVICE_TIMEOUT_MS = 10_000;
const HTTP_TIMEOUT_MS = 60_000;

/** Node's client request, as far as the product uses it. */
class SimulatedRequest extends EventEmitter {
  readonly #options: http.RequestOptions;

  constructor(options: http.RequestOptions) {
    super();
    this.#options = options;
  }

  end(content: string | Buffer = ""): this {
    const { host, hostname = host, path, method = "GET", headers, signal } = this.#options;
    const { network, http: answer, httpRefusals, httpFate } = other();
    const body = String(content);
    const sent = { host: String(hostname), method, path: String(path), body };
    const request = { ...sent, headers: { ...headers } as Record<string, string> };
    network
      .send({
        owner: currentProcess(),
        execute: () => answer(request),
        refusals: httpRefusals(request),
        fate: httpFate(request),
        timeoutMs: HTTP_TIMEOUT_MS,
        signal,
      })
      .then(
        ({ status, headers, body }) => {
          const message = Readable.from([Buffer.from(body)]);
          this.emit("response", Object.assign(message, { statusCode: status, headers }));
        },
        (error: unknown) => this.emit("error", error),
      );
    return this;
  }

  destroy(error?: Error): this {
    if (error !== undefined) this.emit("error", error);
    return this;
  }
}

const request = (url: URL | http.RequestOptions, options?: unknown, listener?: unknown) => {
  const given = url instanceof URL ? { hostname: url.hostname, path: url.pathname + url.search } : url;
  const more = typeof options === "object" ? options : {};
  const sent = new SimulatedRequest({ ...given, ...more });
  const onResponse = typeof options === "function" ? options : listener;
  if (typeof onResponse === "function") sent.once("response", onResponse as () => void);
  return sent;
};

/** Compresses at once at its end: simulated time would pass while another thread compresses. */
const createGzip = (): Transform => {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
    flush: (done) => done(null, gzipSync(Buffer.concat(chunks))),
  });
};
const gunzip = (body: Uint8Array, done: (error: null, result: Buffer) => void): void => done(null, gunzipSync(body));

/** Replaces Node's HTTP client and its compression. Call it before the product is imported. */
export const installNode = (): void => {
  Object.assign(http, { request });
  Object.assign(https, { request });
  Object.defineProperties(zlib, { createGzip: { value: createGzip }, gunzip: { value: gunzip } });
  syncBuiltinESMExports();
};

/** Replaces the clients of DynamoDB, S3, SQS, the bus, KMS and Secrets Manager, which the product's modules have made. */
export const installClients = async (): Promise<void> => {
  const { documentClient } = await import("../../shared/runtime/document-client.ts");
  const { eventBusClient } = await import("../../shared/runtime/event-bus.ts");
  const { kms } = await import("../../shared/runtime/kms.ts");
  const { secretsManager } = await import("../../shared/runtime/secrets-manager.ts");
  const { s3 } = await import("../../shared/runtime/object-store.ts");
  const { sqs } = await import("../../shared/runtime/queue.ts");
  const { KMSClient } = await import("@aws-sdk/client-kms");
  const { DomainError } = await import("../../shared/runtime/domain-error.ts");

  Object.assign(documentClient, {
    send: createStoreClient((operation, input, signal) => {
      const { network, store, storeRefusals } = other();
      return network.send({
        owner: currentProcess(),
        execute: () => store(operation, input),
        refusals: storeRefusals(operation, input),
        timeoutMs: STORE_TIMEOUT_MS,
        signal,
      });
    }),
  });

  const callService = (
    command: { constructor: { name: string }; input: object },
    { abortSignal: signal }: { abortSignal?: AbortSignal } = {},
  ): Promise<object> => {
    const { network, service, serviceRefusals } = other();
    const operation = command.constructor.name.replace(/Command$/, "");
    const slowDown = () => {
      throw Object.assign(new Error("SlowDown"), { name: "SlowDown" });
    };
    return network.send({
      owner: currentProcess(),
      execute: () => service(operation, command.input),
      refusals: [slowDown, ...serviceRefusals(operation, command.input)],
      timeoutMs: SERVICE_TIMEOUT_MS,
      signal,
    });
  };
  for (const client of [s3(), sqs()]) Object.assign(client, { send: callService });

  eventBusClient.putEvents = (entries, signal) => {
    const { network, publish } = other();
    const rejected = entries.map((_entry, i) => i % 2 === 0);
    return network.send<(string | undefined)[]>({
      owner: currentProcess(),
      execute: () => {
        publish(entries);
        return entries.map(() => undefined);
      },
      refusals: [
        () => entries.map(() => "ThrottlingException"),
        () => {
          publish(entries.filter((_entry, i) => !rejected[i]));
          return rejected.map((isRejected) => (isRejected ? "InternalFailure" : undefined));
        },
      ],
      timeoutMs: BUS_TIMEOUT_MS,
      signal,
    });
  };

  const unavailable = () => {
    throw new DomainError("store_unavailable", "The store did not answer. Try again.");
  };
  const callKeys = async <Answer>(execute: () => Answer): Promise<Answer> => {
    const { network } = other();
    const call = { owner: currentProcess(), execute, refusals: [unavailable], timeoutMs: STORE_TIMEOUT_MS };
    return network.send(call).catch(unavailable);
  };
  kms.generateDataKey = (keyId, context) =>
    callKeys(() => {
      const dataKey = Buffer.from(Array.from({ length: 32 }, () => Math.floor(Math.random() * 256)));
      return { dataKey, encrypted: Buffer.from(JSON.stringify({ keyId, context, key: dataKey.toString("hex") })) };
    });
  kms.decryptDataKey = (keyId, context, encrypted) =>
    callKeys(() => {
      const sealed = JSON.parse(Buffer.from(encrypted).toString());
      const isSame = sealed.keyId === keyId && JSON.stringify(sealed.context) === JSON.stringify(context);
      return isSame ? Buffer.from(sealed.key, "hex") : undefined;
    });
  // The keys that sign checkpoints.
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  Object.assign(KMSClient.prototype, {
    send: ({ input }: SignCommand) =>
      callKeys(() =>
        input.Message === undefined
          ? { PublicKey: publicKey.export({ format: "der", type: "spki" }) }
          : { Signature: sign(null, input.Message, privateKey) },
      ),
  });
  secretsManager.readSecret = (arn) => callKeys(() => `the value of ${arn}`);
};

/** Sends everything to the other sides of one simulation. */
export const connectEdges = (to: OtherSides | undefined): void => {
  sides = to;
};
