import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { FunctionModel, StackModel } from "../core/model.ts";
import { listen } from "../http/listen.ts";
import { type Authorizer, type Check, sessionArnOf } from "../iam/authorizer.ts";
import { createCredentialBook, type FunctionCredentials, signerOf, signerOfLink } from "./credentials.ts";
import { createDynamoDbService } from "./dynamodb-service.ts";
import { type AwsAnswer, type AwsCall, type AwsService, errorAnswer } from "./service.ts";

/** A call that a role does not allow; `logicalId` is that of the calling function. */
export type Denial = { logicalId: string; action: string; resource: string; reason: string };

export type GatewayOptions = {
  model: StackModel;
  authorizer: Authorizer;
  /** Loopback, or the endpoint that the user chose: nothing is forwarded elsewhere. */
  dynamodbEndpoint: string;
  onDenied: (denial: Denial) => void;
  /** Further services, by the service's name in the signature. */
  services?: Readonly<Record<string, AwsService>>;
};

export type Gateway = {
  /** The value of AWS_ENDPOINT_URL, without a trailing slash. */
  url: string;
  /** @throws Error for an ARN of no function of the model. */
  credentialsFor(functionArn: string): FunctionCredentials;
  /** Calls so far by action (`kms:Decrypt`). A call for several entries or items counts each of them. */
  calls(): Record<string, number>;
  close(): Promise<void>;
};

const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

/** Reads a whole request. The JSON protocols name the operation in a header: `DynamoDB_20120810.PutItem`. */
const readCall = async (request: IncomingMessage): Promise<Omit<AwsCall, "secretAccessKey">> => {
  const body = await buffer(request);
  const { method = "", url: target = "/", headers } = request;
  const [path] = target.split("?", 1);
  const named = headers["x-amz-target"];
  const operation = named === undefined ? `${method} ${path}` : String(named).slice(named.lastIndexOf(".") + 1);
  return { operation, method, target, headers, body, json: parseJson(body) };
};

const send = (response: ServerResponse, { status, headers, body }: AwsAnswer): void => {
  // With a Date header the SDK would compare the machine's clock with the local cloud's, assume a wrong clock,
  // and send a refused request once more.
  response.sendDate = false;
  if (Buffer.isBuffer(body)) response.writeHead(status, { "content-length": body.length, ...headers }).end(body);
  // The client may end the connection before the end of the object.
  else pipeline(body, response.writeHead(status, headers), () => undefined);
};

/** One endpoint on loopback for every AWS service. It passes on the calls that the caller's role allows. */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { model, authorizer, onDenied } = options;
  const services = new Map<string, AwsService>([
    ["dynamodb", createDynamoDbService(model, options.dynamodbEndpoint)],
    ...Object.entries(options.services ?? {}),
  ]);
  const credentials = createCredentialBook(model.functions);
  const calls: Record<string, number> = {};

  const denied = (
    caller: FunctionModel,
    { action, resource }: Check,
    reason: string,
    service?: AwsService,
  ): AwsAnswer => {
    onDenied({ logicalId: caller.logicalId, action, resource, reason });
    const user = sessionArnOf(model, caller.arn);
    const message = `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
    return service?.refuse?.("AccessDenied", message) ?? errorAnswer(400, "AccessDeniedException", message);
  };

  const judge = async (caller: FunctionModel, serviceName: string, call: AwsCall): Promise<AwsAnswer> => {
    const unknown: Check = { action: `${serviceName}:${call.operation}`, resource: "*" };
    const service = services.get(serviceName);
    if (service === undefined) return denied(caller, unknown, `because the local cloud does not run ${serviceName}`);
    const checks = service.checks(call);
    if (checks === undefined)
      return denied(caller, unknown, "because the local cloud does not know such a request", service);
    for (const check of checks) {
      const principal = { kind: "function", functionArn: caller.arn } as const;
      const { allowed, reason } = authorizer.judge({ ...check, principal });
      if (!allowed) return denied(caller, check, reason, service);
      calls[check.action] = (calls[check.action] ?? 0) + 1;
    }
    return service.answer(call);
  };

  const answer = async (request: IncomingMessage): Promise<AwsAnswer> => {
    const call = await readCall(request);
    const signer = signerOf(request.headers.authorization) ?? signerOfLink(call.target);
    if (signer === undefined)
      return errorAnswer(400, "MissingAuthenticationTokenException", "Request is missing Authentication Token");
    const holder = credentials.holderOf(signer.accessKeyId);
    if (holder === undefined) {
      const message = "The security token included in the request is invalid.";
      const refused = services.get(signer.service)?.refuse?.("InvalidAccessKeyId", message);
      return refused ?? errorAnswer(400, "UnrecognizedClientException", message);
    }
    const { function: caller, secretAccessKey } = holder;
    if (signer.region === model.region) return judge(caller, signer.service, { ...call, secretAccessKey });
    const unknown: Check = { action: `${signer.service}:${call.operation}`, resource: "*" };
    return denied(caller, unknown, `because the local cloud runs ${model.region} and not ${signer.region}`);
  };

  const server = createServer((request, response) => {
    answer(request).then(
      (found) => send(response, found),
      (error) => send(response, errorAnswer(500, "InternalServerError", String(error))),
    );
  });
  // A function is frozen between two events. If its connection were closed in between, its next call would fail.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  const { url } = await listen(server, 0);

  return {
    url,
    credentialsFor: credentials.credentialsFor,
    calls: () => ({ ...calls }),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      for (const service of services.values()) service.close();
    },
  };
};
