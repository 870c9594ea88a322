import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { FunctionModel, StackModel } from "../core/model.ts";
import { listen } from "../http/listen.ts";
import { type Authorizer, type Check, sessionArnOf } from "../iam/authorizer.ts";
import { createCredentialBook, type FunctionCredentials, signerOf } from "./credentials.ts";
import { createDynamoDbService } from "./dynamodb-service.ts";
import { readCall } from "./read-call.ts";
import { createSecretsManagerService } from "./secrets-manager-service.ts";
import { type AwsAnswer, type AwsCall, type AwsService, errorAnswer } from "./service.ts";

/** A call that a role does not allow; `logicalId` is the function's that made it. */
export type Denial = { logicalId: string; action: string; resource: string; reason: string };

export type GatewayOptions = {
  model: StackModel;
  authorizer: Authorizer;
  /** Loopback or the endpoint that the user chose: nothing is ever forwarded elsewhere. */
  dynamodbEndpoint: string;
  onDenied: (denial: Denial) => void;
  /** What answers for further services, by the service's name in the signature. */
  services?: Readonly<Record<string, AwsService>>;
  /** An open server that answers nothing yet, where the gateway's URL had to be known before the model. */
  port?: GatewayPort;
};

/** The place where a gateway will answer. */
export type GatewayPort = { server: Server; url: string };

export type Gateway = {
  /** Set it as AWS_ENDPOINT_URL; without a trailing slash. */
  url: string;
  /** @throws Error for an ARN that is none of the model's functions. */
  credentialsFor(functionArn: string): FunctionCredentials;
  close(): Promise<void>;
};

const send = (response: ServerResponse, { status, headers, body }: AwsAnswer): void => {
  // The SDK would hold the machine's time against the clock that functions see, take the difference for a wrong clock, and
  // send whatever was refused once more.
  response.sendDate = false;
  response.writeHead(status, { ...headers, "content-length": body.length }).end(body);
};

/** Opens a free port of loopback for a gateway to come. Closing the gateway closes it. */
export const openGatewayPort = async (): Promise<GatewayPort> => {
  const server = createServer();
  // Functions are frozen between events for as long as it takes; a connection closed meanwhile would fail their next call.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  const { url } = await listen(server, 0);
  return { server, url };
};

/** One endpoint on loopback for every AWS service, which lets through what the caller's role allows. */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { model, authorizer, onDenied } = options;
  // By the service's name in the signature.
  const services = new Map<string, AwsService>([
    ["dynamodb", createDynamoDbService(model, options.dynamodbEndpoint)],
    ["secretsmanager", createSecretsManagerService(model)],
    ...Object.entries(options.services ?? {}),
  ]);
  const credentials = createCredentialBook(model.functions);

  const denied = (caller: FunctionModel, { action, resource }: Check, reason: string): AwsAnswer => {
    onDenied({ logicalId: caller.logicalId, action, resource, reason });
    const user = sessionArnOf(model, caller.arn);
    const message = `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
    return errorAnswer(400, "AccessDeniedException", message);
  };

  const judge = async (caller: FunctionModel, serviceName: string, call: AwsCall): Promise<AwsAnswer> => {
    const unknown: Check = { action: `${serviceName}:${call.operation}`, resource: "*" };
    const service = services.get(serviceName);
    if (service === undefined) return denied(caller, unknown, `because the local cloud does not run ${serviceName}`);
    const checks = service.checks(call);
    if (checks === undefined) return denied(caller, unknown, "because the local cloud does not know such a request");
    for (const check of checks) {
      const { allowed, reason } = authorizer.judge({
        ...check,
        principal: { kind: "function", functionArn: caller.arn },
      });
      if (!allowed) return denied(caller, check, reason);
    }
    return service.answer(call, sessionArnOf(model, caller.arn));
  };

  const answer = async (request: IncomingMessage): Promise<AwsAnswer> => {
    const call = await readCall(request);
    const signer = signerOf(request.headers.authorization);
    if (signer === undefined) {
      return errorAnswer(400, "MissingAuthenticationTokenException", "Request is missing Authentication Token");
    }
    const caller = credentials.holderOf(signer.accessKeyId);
    if (caller === undefined) {
      const message = "The security token included in the request is invalid.";
      return errorAnswer(400, "UnrecognizedClientException", message);
    }
    if (signer.region === model.region) return judge(caller, signer.service, call);
    const unknown: Check = { action: `${signer.service}:${call.operation}`, resource: "*" };
    return denied(caller, unknown, `because the local cloud runs ${model.region} and not ${signer.region}`);
  };

  const { server, url } = options.port ?? (await openGatewayPort());
  server.on("request", (request, response) => {
    answer(request).then(
      (found) => send(response, found),
      (error) => send(response, errorAnswer(500, "InternalServerError", String(error))),
    );
  });

  return {
    url,
    credentialsFor: credentials.credentialsFor,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      for (const service of services.values()) service.close();
    },
  };
};
