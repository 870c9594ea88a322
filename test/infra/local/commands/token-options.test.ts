import { expect, it } from "@jest/globals";
import { roleWarning } from "../../../../infra/local/commands/token-options.ts";

it("says that a role of no meaning counts as guest", () => {
  expect([undefined, "admin", "guest"].map(roleWarning)).toEqual([undefined, undefined, undefined]);
  expect(roleWarning("boss")).toBe(
    "boss is not a role (admin, billing, member, guest): it counts as guest unless ROLE_MAPPING maps it",
  );
});
