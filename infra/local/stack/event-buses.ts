import * as z from "zod";
import type { PolicyStatement } from "../core/model.ts";
import { nameOf, unnamed } from "../template/identity.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";

/** The bus that every account has. */
export const DEFAULT_BUS = "default";

const busPlan = {
  understood: z.object({ Name: z.string().optional(), Policy: z.record(z.string(), z.unknown()).optional() }),
  nothingLocally: ["Description", "KmsKeyIdentifier", "Tags"],
  notApplied: {
    DeadLetterConfig: "the queue of the bus gets nothing: nothing here is encrypted, so nothing fails to be",
    EventSourceName: "a partner's events do not come here",
    LogConfig: "the bus keeps no log; GET {controlUrl}/events shows what was published",
  },
};

const policyPlan = {
  understood: z.object({
    EventBusName: z.string().default(DEFAULT_BUS),
    StatementId: z.string(),
    Statement: z.record(z.string(), z.unknown()).optional(),
    /** The form from before there were statements. */
    Action: z.string().optional(),
    Principal: z.string().optional(),
  }),
};

/** A bus is named by its name or by its ARN. */
export const busNameOf = (nameOrArn: string): string => nameOrArn.slice(nameOrArn.lastIndexOf("/") + 1);

const readPolicy = (stack: StackReader, resource: Resource): [string, PolicyStatement[]] => {
  const { EventBusName, StatementId, Statement, Action, Principal } = stack.properties(resource, policyPlan);
  const arn = arnIn(stack.scope, "events", `event-bus/${busNameOf(EventBusName)}`);
  const principal = Principal === "*" ? "*" : { AWS: Principal };
  const statement = Statement ?? { Effect: "Allow", Principal: principal, Action, Resource: arn };
  return [arn, PolicyDocument.parse({ Statement: { Sid: StatementId, ...statement } })];
};

/** AWS::Events::EventBus and the policies of buses. */
export const eventBuses: ResourceFamily = {
  identities: {
    "AWS::Events::EventBus": (resource) => {
      const name = nameOf(resource, "Name");
      return { ref: name, attributes: { Name: name, Arn: arnIn(resource.scope, "events", `event-bus/${name}`) } };
    },
    "AWS::Events::EventBusPolicy": unnamed,
  },
  read: (stack) => {
    const declared = stack.resources("AWS::Events::EventBus").map((resource) => {
      const { Policy } = stack.properties(resource, busPlan);
      return { name: resource.ref, arn: resource.arn, policy: Policy && PolicyDocument.parse(Policy) };
    });
    const policies = stack.resources("AWS::Events::EventBusPolicy").map((resource) => readPolicy(stack, resource));
    const resourcePolicies: Record<string, PolicyStatement[]> = {};
    for (const [arn, statements] of [...declared.map(({ arn, policy = [] }) => [arn, policy] as const), ...policies])
      if (statements.length > 0) resourcePolicies[arn] = [...(resourcePolicies[arn] ?? []), ...statements];
    const defaultBus = { name: DEFAULT_BUS, arn: arnIn(stack.scope, "events", `event-bus/${DEFAULT_BUS}`) };
    return { buses: [defaultBus, ...declared.map(({ name, arn }) => ({ name, arn }))], resourcePolicies };
  },
};
