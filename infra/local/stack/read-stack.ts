import type { NotRun, StackModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { readAssembly } from "../template/read-assembly.ts";
import { createResolver } from "../template/resolve.ts";
import { openGeneratedSecrets } from "../template/secrets.ts";
import { createStackReader, type ResourceFamily } from "../template/stack-reader.ts";
import { arnIn, nameOf, type Scope, type Template } from "../template/template.ts";
import { buckets } from "./buckets.ts";
import { events } from "./events.ts";
import { functions } from "./functions.ts";
import { httpApi } from "./http-api.ts";
import { keys } from "./keys.ts";
import { mails } from "./mails.ts";
import { queues } from "./queues.ts";
import { roles } from "./roles.ts";
import { readSecrets, secrets } from "./secrets.ts";
import { tables } from "./tables.ts";

/** What the local cloud runs. A new kind of resource is a file beside this one and an entry here. */
const families: readonly ResourceFamily[] = [
  buckets,
  events,
  functions,
  httpApi,
  keys,
  mails,
  queues,
  roles,
  secrets,
  tables,
];

/** Types that do nothing on one machine, with the consequence for the user; undefined without a consequence. */
const notRunTypes: Record<string, string | undefined> = {
  "AWS::ApiGatewayV2::ApiMapping": undefined,
  "AWS::ApiGatewayV2::DomainName": "the API answers at its local address only",
  "AWS::Backup::BackupPlan": "no backup is made",
  "AWS::Backup::BackupSelection": undefined,
  "AWS::Backup::BackupVault": undefined,
  "AWS::CloudWatch::Alarm": "no metric is watched, so the alarm is never raised",
  "AWS::CloudWatch::Dashboard": "no metric is shown",
  "AWS::Logs::LogGroup": undefined,
  "AWS::Route53::RecordSet": "no DNS record is made",
};

const identities = {
  ...Object.assign({}, ...families.map((family) => family.identities)),
  "AWS::Logs::LogGroup": (resource: Parameters<typeof nameOf>[0]) => {
    const name = nameOf(resource, "LogGroupName");
    return { ref: name, attributes: { Arn: arnIn(resource.scope, "logs", `log-group:${name}:*`) } };
  },
};

/** If an assembly is not bound to an account and a region, these stand in for them. */
const anyAccount = { accountId: "000000000000", region: "eu-central-1" };

const readNotRun = ({ Resources }: Template): NotRun[] =>
  Object.entries(Resources).flatMap(([logicalId, { Type: type, Condition }]) => {
    if (Condition !== undefined) throw new TemplateError(logicalId, "the local cloud does not support Condition");
    if (families.some((family) => type in family.identities)) return [];
    if (!(type in notRunTypes)) throw new TemplateError(logicalId, `the local cloud does not support ${type}`);
    const reason = notRunTypes[type];
    return reason === undefined ? [] : [{ logicalId, type, reason }];
  });

/** Everything that calls a function or sends to a queue must find it in the template. */
const requireTargets = ({
  functions,
  roles,
  queues,
  httpApis,
  functionUrls,
  rules,
  schedules,
  ...model
}: StackModel): void => {
  const functionArns = new Set(functions.map(({ arn }) => arn));
  const queueArns = new Set(queues.map(({ arn }) => arn));
  const require = (logicalId: string, arn: string, ...known: ReadonlySet<string>[]) => {
    if (!known.some((arns) => arns.has(arn)))
      throw new TemplateError(logicalId, `${arn} is not a function or a queue of the template`);
  };
  for (const { logicalId, routes } of httpApis)
    for (const { functionArn, roleArn } of routes) {
      require(logicalId, functionArn, functionArns);
      if (roleArn !== undefined && !roles.some(({ arn }) => arn === roleArn))
        throw new TemplateError(logicalId, `${roleArn} is not a role of the template`);
    }
  for (const { logicalId, functionArn } of functionUrls) require(logicalId, functionArn, functionArns);
  for (const { logicalId, targets } of [...rules, ...schedules])
    for (const { arn } of targets) require(logicalId, arn, functionArns, queueArns);
  for (const { logicalId, functionArn, queueArn } of model.eventSourceMappings) {
    require(logicalId, functionArn, functionArns);
    require(logicalId, queueArn, queueArns);
  }
};

/**
 * Reads the one stack of a synthesised assembly (cdk.out) into the model of what the local cloud runs.
 * @param options.dataDirectory where generated secrets are kept; lock it first (`startDynamoDb` does).
 * @param options.urls of HTTP APIs and function URLs by logical id, without a trailing slash, for Fn::GetAtt ApiEndpoint
 *   and FunctionUrl. A template that asks for a missing one cannot be read.
 * @throws TemplateError naming the logical id of what is not supported.
 */
export const readStack = async (options: {
  assemblyDirectory: string;
  dataDirectory: string;
  urls?: ReadonlyMap<string, string>;
}): Promise<StackModel> => {
  const { template, assetDirectories, ...assembly } = await readAssembly(options.assemblyDirectory);
  const { dataDirectory, urls } = options;
  const generated = openGeneratedSecrets(dataDirectory);
  const scope: Scope = {
    ...anyAccount,
    ...assembly,
    ...(urls !== undefined && { urls }),
  };
  const notRun = readNotRun(template);

  const resolver = createResolver({ template, scope, identities });
  const reader = createStackReader({ template, scope, resolver, assetDirectories, notRun });
  const parts = families.map((family) => family.read?.(reader) ?? {});
  const secretModels = readSecrets(reader, generated);
  generated.save();
  const model: StackModel = {
    stackName: scope.stackName,
    accountId: scope.accountId,
    region: scope.region,
    functions: [],
    roles: [],
    tables: [],
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
    secrets: secretModels,
    ...Object.assign({}, ...parts),
    resourcePolicies: Object.assign({}, ...parts.map(({ resourcePolicies }) => resourcePolicies)),
    notRun,
  };
  requireTargets(model);
  return model;
};
