import { describe, expect, it } from "@jest/globals";
import type { PolicyStatement, StackModel } from "../../../../infra/local/core/model.ts";
import { createAuthorizer } from "../../../../infra/local/iam/authorizer.ts";
import { functionArn, stackModel } from "../../../support/stack-model.ts";

const routeArn = "arn:aws:execute-api:eu-central-1:000000000000:abc/$default/GET/plants/{id}";
const invoke = { action: "lambda:InvokeFunction", resource: functionArn("target") };
const permission = (change: Partial<PolicyStatement> = {}): PolicyStatement => ({
  Effect: "Allow",
  Principal: { Service: "apigateway.amazonaws.com" },
  Action: "lambda:InvokeFunction",
  Resource: functionArn("target"),
  Condition: { ArnLike: { "aws:SourceArn": "arn:aws:execute-api:eu-central-1:000000000000:abc/*/*/plants/{id}" } },
  ...change,
});
const withPolicy = (...policy: PolicyStatement[]): StackModel =>
  stackModel({ roles: { target: [], caller: [] }, resourcePolicies: { [functionArn("target")]: policy } });

describe("a service that calls a function", () => {
  const gateway = { kind: "service", service: "apigateway.amazonaws.com", sourceArn: routeArn } as const;

  it.each([
    ["its permission names the route", permission(), true],
    [
      "it names the account as well",
      permission({ Condition: { StringEquals: { "aws:SourceAccount": "000000000000" } } }),
      true,
    ],
    [
      "it names another account",
      permission({ Condition: { StringEquals: { "aws:SourceAccount": "000000000001" } } }),
      false,
    ],
    ["it names another service", permission({ Principal: { Service: "events.amazonaws.com" } }), false],
    ["it names another route", permission({ Condition: { ArnLike: { "aws:SourceArn": `${routeArn}/x` } } }), false],
    ["it allows another action", permission({ Action: "lambda:InvokeFunctionUrl" }), false],
    ["it is a Deny", permission({ Effect: "Deny" }), false],
  ])("when %s", (_what, statement, allowed) => {
    expect(createAuthorizer(withPolicy(statement)).judge({ ...invoke, principal: gateway }).allowed).toBe(allowed);
  });

  it("is refused, with the reason, by a function without a policy", () => {
    expect(createAuthorizer(withPolicy()).judge({ ...invoke, principal: gateway })).toEqual({
      allowed: false,
      reason: "because no resource-based policy allows the lambda:InvokeFunction action",
    });
  });
});

describe("a function that calls", () => {
  const caller = { kind: "function", functionArn: functionArn("caller") } as const;
  const judge = (roles: PolicyStatement[], policy: PolicyStatement[]) =>
    createAuthorizer(
      stackModel({ roles: { target: [], caller: roles }, resourcePolicies: { [functionArn("target")]: policy } }),
    ).judge({ ...invoke, principal: caller });
  const mayInvoke: PolicyStatement = { Effect: "Allow", Action: "lambda:InvokeFunction", Resource: "*" };
  const named = (name: string, Effect: "Allow" | "Deny" = "Allow") =>
    ({ ...permission({ Effect, Principal: { AWS: name } }), Condition: {} }) satisfies PolicyStatement;
  const roleArn = "arn:aws:iam::000000000000:role/caller-role";

  it.each([
    ["its role allows it", [mayInvoke], [], true],
    ["no policy allows it", [], [], false],
    ["the resource's policy names its role", [], [named(roleArn)], true],
    ["the resource's policy names every principal", [], [named("*")], true],
    ["the resource's policy names another role", [], [named(`${roleArn}2`)], false],
    ["the resource's policy names the account only", [], [named("arn:aws:iam::000000000000:root")], false],
    ["the resource's policy denies the account", [mayInvoke], [named("arn:aws:iam::000000000000:root", "Deny")], false],
    ["its role denies what the resource allows", [{ ...mayInvoke, Effect: "Deny" as const }], [named(roleArn)], false],
    [
      "its role allows it to itself by ARN",
      [{ ...mayInvoke, Condition: { ArnEquals: { "aws:PrincipalArn": roleArn } } }],
      [],
      true,
    ],
    [
      "its role allows it in another region",
      [{ ...mayInvoke, Condition: { StringEquals: { "aws:RequestedRegion": "x" } } }],
      [],
      false,
    ],
  ])("when %s", (_what, roles, policy, allowed) => {
    expect(judge(roles, policy).allowed).toBe(allowed);
  });

  it("also has the table's policy applied to an index", () => {
    const table = "arn:aws:dynamodb:eu-central-1:000000000000:table/plants";
    const deny: PolicyStatement = { Effect: "Deny", Principal: "*", Action: "dynamodb:Query" };
    const everything: PolicyStatement = { Effect: "Allow", Action: "*", Resource: "*" };
    const authorizer = createAuthorizer(
      stackModel({ roles: { caller: [everything] }, resourcePolicies: { [table]: [deny] } }),
    );
    const query = { action: "dynamodb:Query", principal: caller };
    expect(authorizer.judge({ ...query, resource: `${table}/index/byName` }).reason).toMatch(
      /explicit deny.*resource-based/,
    );
    expect(authorizer.judge({ ...query, resource: `${table}2` }).allowed).toBe(true);
  });
});

describe("a service under a role that it assumes", () => {
  const roleArn = "arn:aws:iam::000000000000:role/caller-role";
  const mayInvoke: PolicyStatement = {
    Effect: "Allow",
    Action: "lambda:InvokeFunction",
    Resource: functionArn("target"),
  };
  const forGateway: PolicyStatement = permission({ Condition: {} });
  const judge = (roles: PolicyStatement[], policy: PolicyStatement[], trustedService = "apigateway.amazonaws.com") =>
    createAuthorizer(
      stackModel({
        roles: { target: [], caller: roles },
        resourcePolicies: { [functionArn("target")]: policy },
        trustedService,
      }),
    ).judge({ ...invoke, principal: { kind: "role", roleArn, service: "apigateway.amazonaws.com" } });

  it.each([
    ["the role allows it", [mayInvoke], [], true],
    ["the role allows another function", [{ ...mayInvoke, Resource: functionArn("other") }], [], false],
    ["only the function allows the service itself", [], [forGateway], false],
    [
      "the function's policy denies it",
      [mayInvoke],
      [{ ...forGateway, Principal: "*", Effect: "Deny" as const }],
      false,
    ],
  ] satisfies [string, PolicyStatement[], PolicyStatement[], boolean][])("when %s", (_what, roles, policy, allowed) => {
    expect(judge(roles, policy).allowed).toBe(allowed);
  });

  it("is refused, with the reason, if the role trusts another service", () => {
    expect(judge([mayInvoke], [], "lambda.amazonaws.com")).toEqual({
      allowed: false,
      reason: `because apigateway.amazonaws.com may not assume ${roleArn}`,
    });
  });
});

describe("an anonymous caller", () => {
  const anybody = { kind: "anonymous" } as const;
  const throughUrl = { ...invoke, context: { "lambda:InvokedViaFunctionUrl": ["true"] } };
  const onlyThroughUrl = permission({
    Principal: "*",
    Condition: { Bool: { "lambda:InvokedViaFunctionUrl": "true" } },
  });

  it.each([
    ["the policy names every caller", permission({ Principal: "*", Condition: {} }), true],
    ["the policy names every principal of AWS", permission({ Principal: { AWS: "*" }, Condition: {} }), true],
    ["the policy names callers through the URL", onlyThroughUrl, true],
    ["the policy names an account", permission({ Principal: { AWS: "000000000000" }, Condition: {} }), false],
    ["the policy names a service", permission({ Condition: {} }), false],
    ["the policy names callers through an API", permission({ Principal: "*" }), false],
  ])("when %s", (_what, statement, allowed) => {
    expect(createAuthorizer(withPolicy(statement)).judge({ ...throughUrl, principal: anybody }).allowed).toBe(allowed);
  });

  it("may call through the URL only", () => {
    const { judge } = createAuthorizer(withPolicy(onlyThroughUrl));
    expect(judge({ ...invoke, principal: anybody }).allowed).toBe(false);
    expect(judge({ ...invoke, principal: { kind: "function", functionArn: functionArn("caller") } }).allowed).toBe(
      false,
    );
  });
});

describe("createAuthorizer", () => {
  const statement: PolicyStatement = { Effect: "Allow", Action: "dynamodb:*", Resource: "*" };

  it.each<[string, PolicyStatement]>([
    ["the condition operator IpAddress", { ...statement, Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }],
    [
      "the condition key dynamodb:Attributes",
      { ...statement, Condition: { StringEquals: { "dynamodb:Attributes": "a" } } },
    ],
    ["the policy variable", { ...statement, Resource: `arn:aws:dynamodb:::table/${"$"}{aws:username}` }],
    ["which is not an ARN", { ...statement, Resource: "plants" }],
    ["has no Resource", { Effect: "Allow", Action: "*" }],
  ])("fails on %s, with an error that names the role", (problem, wrong) => {
    const model = stackModel({ roles: { caller: [statement, wrong] } });
    expect(() => createAuthorizer(model)).toThrow(problem);
    expect(() => createAuthorizer(model)).toThrow(/^callerRole: /);
  });

  it("fails on a resource's policy without a principal, and on a function whose role is not declared", () => {
    expect(() => createAuthorizer(withPolicy(statement))).toThrow("has no Principal");
    const model = stackModel({ roles: { caller: [] } });
    expect(() => createAuthorizer({ ...model, roles: [] })).toThrow(
      /^caller: its role .*caller-role is not in the template/,
    );
  });
});
