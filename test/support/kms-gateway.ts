import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { type Denial, startGateway } from "../../infra/local/gateway/gateway.ts";
import { createKmsService } from "../../infra/local/gateway/kms-service.ts";
import { createAuthorizer } from "../../infra/local/iam/authorizer.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import type { AwsPlace } from "../../shared/runtime/aws-client.ts";
import { functionDirectory } from "./function-directory.ts";
import { synthesiseTestStack } from "./local-cloud.ts";

/** A condition in the CDK's format. */
export type Conditions = Record<string, Record<string, string | string[]>>;

/** Adds a function whose role has exactly these rights. @returns its role */
export const addFunctionWith = (
  stack: Stack,
  name: string,
  rights: { actions: string[]; resources: string[]; conditions?: Conditions }[],
): Role => {
  const role = new Role(stack, `${name}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  for (const right of rights) role.addToPolicy(new PolicyStatement(right));
  new LambdaFunction(stack, name, {
    functionName: name,
    runtime: Runtime.NODEJS_24_X,
    handler: "index.handler",
    code: Code.fromAsset(functionDirectory("export const handler = async () => null;")),
    role,
  });
  return role;
};

/** A gateway with the keys of a synthesised stack. Close it in `afterAll`. */
export const startKmsGateway = async (fill: (stack: Stack) => void, nowMs = Date.UTC(2026, 10, 21)) => {
  const assemblyDirectory = synthesiseTestStack(fill);
  const dataDirectory = mkdtempSync(join(tmpdir(), "kms-"));
  const model = await readStack({ assemblyDirectory, dataDirectory });
  const denials: Denial[] = [];
  const open = () =>
    startGateway({
      model,
      authorizer: createAuthorizer(model),
      dynamodbEndpoint: "http://127.0.0.1:9",
      onDenied: (denial) => denials.push(denial),
      services: { kms: createKmsService({ model, dataDirectory, clock: { now: () => nowMs } }) },
    });
  let gateway = await open();
  return {
    model,
    dataDirectory,
    denials,
    /** The endpoint and credentials of the function with that name. */
    placeOf(name: string): AwsPlace {
      const found = model.functions.find((fn) => fn.name === name);
      const credentials = gateway.credentialsFor(found?.arn ?? name);
      return { region: model.region, endpoint: gateway.url, credentials };
    },
    async restart() {
      await gateway.close();
      gateway = await open();
    },
    async close() {
      await gateway.close();
      rmSync(dataDirectory, { recursive: true });
    },
  };
};
