import { expect, it } from "@jest/globals";
import { recordTypes } from "../../../shared/records/record.ts";
import { describeCaller } from "../../../shared/settings/caller-access.ts";
import { defaultSettings } from "../../../shared/settings/settings.ts";
import type { Role } from "../../../shared/terms/permissions.ts";

const settings = {
  ...defaultSettings,
  recordAccess: { member: ["payments" as const, "customers" as const], guest: [] },
};
const all = [...recordTypes];

it.each<[Role, string[]]>([
  ["admin", all],
  ["billing", all],
  ["member", ["customers", "payments"]],
  ["guest", []],
])("%s may read %j, and has records:read only if there are such types", (role, recordTypes) => {
  const caller = { userId: "ada", organizationId: "acme", role, scope: "org:acme" as const, sessionId: undefined };
  const described = describeCaller(caller, settings);
  expect(described.recordTypes).toEqual(recordTypes);
  expect(described.permissions.includes("records:read")).toBe(recordTypes.length > 0);
});
