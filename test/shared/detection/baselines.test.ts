import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "@jest/globals";
import { createBaselineStore } from "../../../shared/detection/baseline-store.ts";
import { createBaselines } from "../../../shared/detection/baselines.ts";
import { dayBefore } from "../../../shared/detection/day-counts.ts";
import { leastNeed } from "../../../shared/detection/rules/rules.ts";
import { createTable } from "../../../shared/runtime/table.ts";

const HOUR = Date.UTC(2026, 10, 21, 12);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-central-1" }));

it.each([
  [leastNeed("calls") - 1, []],
  [leastNeed("calls"), ["acme"]],
])("of an hour with %i calls are read if a rule needs no more", async (count, expected) => {
  const read: string[] = [];
  const store = {
    ...createBaselineStore(createTable(client, "detection")),
    get: async (scope: string) => {
      read.push(scope);
      return undefined;
    },
  };
  const facts = Array.from({ length: count }, (_, index) => ({
    id: String(index),
    at: HOUR + index,
    type: "PERMISSION_DENIED",
    category: "authorization" as const,
    riskLevel: "LOW" as const,
    source: "user" as const,
    success: false,
    userId: `user-${index}`,
  }));
  const before = dayBefore(undefined, HOUR);
  await createBaselines(store).read({
    scope: "acme",
    hour: HOUR,
    facts,
    leastCalls: leastNeed("calls"),
    before,
    ended: undefined,
  });
  expect(read).toEqual(expected);
});
