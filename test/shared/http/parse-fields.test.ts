import { describe, expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { parseFields } from "../../../shared/http/parse-request.ts";
import { SettingsRequest } from "../../../shared/settings/settings-request.ts";

describe("parseFields", () => {
  it.each([
    [[], "body: expected an object"],
    ["x", "body: expected an object"],
    [null, "body: expected an object"],
    [{ recordAccess: null }, "recordAccess: expected an object"],
    [{ ipAllowlist: null, recordAccess: "x" }, "; recordAccess: expected an object"],
  ])("names path and expectation for %j, even if the schema has no message", (body, message) => {
    expect(() => parseFields(SettingsRequest, body, "body")).toThrow(message);
  });

  it("uses the schema's own message", () => {
    const schema = z.object({ size: z.number({ error: "expected a size" }) });
    expect(() => parseFields(schema, {}, "body")).toThrow("size: expected a size");
  });

  it("drops unknown fields", () => {
    expect(parseFields(z.object({ size: z.number() }), { size: 1, color: "red" }, "body")).toEqual({ size: 1 });
  });
});
