import { describe, expect, it } from "@jest/globals";
import type { PolicyStatement } from "../../../../infra/local/core/model.ts";
import { type AccessRequest, evaluate } from "../../../../infra/local/iam/evaluate.ts";
import { fc } from "../../../support/fixed-seed.ts";

const table = "arn:aws:dynamodb:eu-central-1:000000000000:table/plants";
const role = { type: "AWS", name: "arn:aws:iam::000000000000:role/writer" };
const request = (change: Partial<AccessRequest> = {}): AccessRequest => ({
  action: "dynamodb:PutItem",
  resource: table,
  context: new Map(),
  principals: [role],
  ...change,
});
const allow = (change: Partial<PolicyStatement> = {}): PolicyStatement => ({
  Effect: "Allow",
  Action: "dynamodb:PutItem",
  Resource: table,
  ...change,
});

describe("evaluate", () => {
  it.each([
    ["the action and the resource", allow(), "allow"],
    ["an action in another case", allow({ Action: "DynamoDB:putitem" }), "allow"],
    ["an action by wildcard", allow({ Action: ["s3:*", "dynamodb:Put*"] }), "allow"],
    ["an action by question mark", allow({ Action: "dynamodb:P?tItem" }), "allow"],
    ["another action", allow({ Action: "dynamodb:GetItem" }), "none"],
    ["only the beginning of the action", allow({ Action: "dynamodb:Put" }), "none"],
    ["every resource", allow({ Resource: "*" }), "allow"],
    ["a resource by wildcard", allow({ Resource: "arn:aws:dynamodb:*:*:table/pl*" }), "allow"],
    ["its indexes only", allow({ Resource: `${table}/index/*` }), "none"],
    ["a resource in another case", allow({ Resource: table.replace("plants", "Plants") }), "none"],
    ["a wildcard that would have to match a colon", allow({ Resource: "arn:*:*:*:table/plants:x" }), "none"],
    ["this principal", allow({ Principal: { AWS: ["x", role.name] } }), "allow"],
    ["every principal", allow({ Principal: "*" }), "allow"],
    ["every principal of AWS", allow({ Principal: { AWS: "*" } }), "allow"],
    ["another kind of principal of that name", allow({ Principal: { Service: role.name } }), "none"],
    ["a condition that holds", allow({ Condition: { Null: { "aws:SourceArn": "true" } } }), "allow"],
    ["a condition that does not hold", allow({ Condition: { StringEquals: { "aws:SourceArn": "x" } } }), "none"],
  ])("an Allow of %s", (_what, statement, decision) => {
    expect(evaluate([statement], request())).toBe(decision);
    // The same statement as a Deny applies to the same requests.
    expect(evaluate([{ ...statement, Effect: "Deny" }], request())).toBe(decision === "allow" ? "deny" : "none");
  });

  const statements = fc.array(
    fc.record({
      Effect: fc.constantFrom("Allow" as const, "Deny" as const),
      Action: fc.constantFrom("dynamodb:PutItem", "dynamodb:*", "*", "dynamodb:GetItem"),
      Resource: fc.constantFrom("*", table, `${table}/index/*`),
    }),
  );

  it("lets a Deny override every Allow, in any order", () => {
    fc.assert(
      fc.property(statements, fc.nat(), (others, position) => {
        const policy: PolicyStatement[] = [...others];
        policy.splice(position % (others.length + 1), 0, allow({ Effect: "Deny" }));
        expect(evaluate(policy, request())).toBe("deny");
      }),
    );
  });

  it("never allows more after a statement other than a Deny is removed", () => {
    fc.assert(
      fc.property(statements, fc.nat(), (policy, position) => {
        const fewer = policy.filter(
          ({ Effect }, index) => Effect === "Deny" || index !== position % Math.max(policy.length, 1),
        );
        if (evaluate(fewer, request()) === "allow") expect(evaluate(policy, request())).toBe("allow");
      }),
    );
  });

  it("matches names literally except for the two wildcards", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, other) => {
        fc.pre(!/[*?:]/.test(name + other) && name !== other);
        const statement = allow({ Resource: `${table}${name}` });
        expect(evaluate([statement], request({ resource: `${table}${name}` }))).toBe("allow");
        expect(evaluate([statement], request({ resource: `${table}${other}` }))).toBe("none");
      }),
    );
  });
});
