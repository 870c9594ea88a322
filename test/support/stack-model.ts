import type { PolicyStatement, StackModel, TableModel } from "../../infra/local/core/model.ts";

/** The ARN of a function of `stackModel`. */
export const functionArn = (name: string): string => `arn:aws:lambda:eu-central-1:000000000000:function:${name}`;

/** A stack with one function per role, named as the role, and the other given parts. */
export const stackModel = ({
  roles = {},
  tables = [],
  resourcePolicies = {},
  trustedService = "lambda.amazonaws.com",
}: {
  roles?: Record<string, PolicyStatement[]>;
  tables?: TableModel[];
  resourcePolicies?: Record<string, PolicyStatement[]>;
  /** The service that may assume the roles. */
  trustedService?: string;
}): StackModel => {
  const names = Object.keys(roles);
  const roleArn = (name: string): string => `arn:aws:iam::000000000000:role/${name}-role`;
  return {
    stackName: "test",
    accountId: "000000000000",
    region: "eu-central-1",
    functions: names.map((name) => ({
      logicalId: name,
      name,
      arn: functionArn(name),
      roleArn: roleArn(name),
      codeDirectory: "/nowhere",
      handler: "index.handler",
      environment: {},
      timeoutSeconds: 3,
      memoryMb: 128,
    })),
    roles: names.map((name) => ({
      logicalId: `${name}Role`,
      arn: roleArn(name),
      statements: roles[name] ?? [],
      trust: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: trustedService } }],
    })),
    tables,
    httpApis: [],
    functionUrls: [],
    schedules: [],
    buses: [],
    rules: [],
    queues: [],
    eventSourceMappings: [],
    keys: [],
    buckets: [],
    configurationSets: [],
    secrets: [],
    resourcePolicies,
    notRun: [],
  };
};
