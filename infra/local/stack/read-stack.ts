import type { NotRun, StackModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { generateSecret, openGeneratedSecrets, SecretRecipe } from "../template/generated-secrets.ts";
import { readAssembly } from "../template/read-assembly.ts";
import { createResolver } from "../template/resolve.ts";
import { secretReference } from "../template/secret-reference.ts";
import { createStackReader } from "../template/stack-reader.ts";
import type { Scope, Template } from "../template/template.ts";
import { families } from "./families.ts";
import { nothingToRun, notRunIdentities, notRunReasons } from "./not-run.ts";
import { withoutDangling } from "./without-dangling.ts";

/** Where an assembly is not bound to an account and a region, these stand in for them. */
const anyAccount = { accountId: "000000000000", region: "eu-central-1" };

const identities = { ...notRunIdentities, ...Object.assign({}, ...families.map((family) => family.identities)) };

const unknownTypes = (template: Template, isDeclared: (logicalId: string) => boolean): NotRun[] =>
  Object.entries(template.Resources)
    .filter(([logicalId, { Type }]) => isDeclared(logicalId) && !(Type in nothingToRun))
    .filter(([, { Type }]) => !families.some((family) => Type in family.identities))
    .map(([logicalId, { Type: type }]) => ({
      logicalId,
      type,
      reason: notRunReasons[type] ?? "the local cloud does nothing for resources of this type",
    }));

/**
 * Reads the one stack of a synthesised assembly (cdk.out) into what the local cloud runs.
 * @param options.dataDirectory where generated secrets are kept; lock it first (`startDynamoDb` does).
 * @param options.apiUrl what Fn::GetAtt ApiEndpoint answers; without it, a template that asks cannot be read.
 * @param options.functionUrls what Fn::GetAtt FunctionUrl answers, by logical id and without the trailing slash; likewise.
 * @param options.gatewayUrl where the URLs of queues begin; without it, a template that refers to one cannot be read.
 * @throws TemplateError naming the logical id of what it cannot understand.
 */
export const readStack = async (options: {
  assemblyDirectory: string;
  dataDirectory: string;
  apiUrl?: string;
  functionUrls?: ReadonlyMap<string, string>;
  gatewayUrl?: string;
}): Promise<StackModel> => {
  const { template, assetDirectories, ...assembly } = await readAssembly(options.assemblyDirectory);
  const generated = openGeneratedSecrets(options.dataDirectory);
  const { apiUrl, functionUrls, gatewayUrl } = options;
  const scope: Scope = {
    ...anyAccount,
    ...assembly,
    ...(apiUrl !== undefined && { apiUrl }),
    ...(functionUrls !== undefined && { functionUrls }),
    ...(gatewayUrl !== undefined && { gatewayUrl }),
  };

  const secretValue = (logicalId: string): string => {
    const { SecretString, GenerateSecretString } = template.Resources[logicalId]?.Properties ?? {};
    if (SecretString !== undefined) return String(resolver.resolve(logicalId, SecretString));
    if (GenerateSecretString === undefined) throw new TemplateError(logicalId, "the secret has no value");
    const recipe = SecretRecipe.parse(resolver.resolve(logicalId, GenerateSecretString));
    return generated.secretFor(logicalId, () => generateSecret(recipe));
  };

  const resolver = createResolver({
    template,
    scope,
    identities,
    dynamicReference: (reference) =>
      secretReference(reference, (arn) => {
        const logicalId = Object.keys(template.Resources).find(
          (id) => template.Resources[id]?.Type === "AWS::SecretsManager::Secret" && resolver.identityOf(id).ref === arn,
        );
        return logicalId === undefined ? undefined : secretValue(logicalId);
      }),
  });

  const notRun: NotRun[] = [];
  const reader = createStackReader({ template, scope, resolver, assetDirectories, secretValue, notRun });
  const parts = families.map((family) => family.read?.(reader) ?? {});
  generated.save();
  const policies = parts.flatMap((part) => Object.entries(part.resourcePolicies ?? {}));
  return withoutDangling({
    stackName: scope.stackName,
    accountId: scope.accountId,
    region: scope.region,
    functions: parts.flatMap((part) => part.functions ?? []),
    roles: parts.flatMap((part) => part.roles ?? []),
    tables: parts.flatMap((part) => part.tables ?? []),
    httpApis: parts.flatMap((part) => part.httpApis ?? []),
    functionUrls: parts.flatMap((part) => part.functionUrls ?? []),
    schedules: parts.flatMap((part) => part.schedules ?? []),
    buses: parts.flatMap((part) => part.buses ?? []),
    rules: parts.flatMap((part) => part.rules ?? []),
    queues: parts.flatMap((part) => part.queues ?? []),
    eventSourceMappings: parts.flatMap((part) => part.eventSourceMappings ?? []),
    asynchronousInvocations: parts.flatMap((part) => part.asynchronousInvocations ?? []),
    secrets: parts.flatMap((part) => part.secrets ?? []),
    keys: parts.flatMap((part) => part.keys ?? []),
    resourcePolicies: Object.fromEntries(
      [...Map.groupBy(policies, ([arn]) => arn)].map(([arn, found]) => [
        arn,
        found.flatMap(([, statements]) => statements),
      ]),
    ),
    notRun: [...unknownTypes(template, resolver.isDeclared), ...notRun],
  });
};
