import { describe, expect, it } from "@jest/globals";
import { fromWebhookSegment, toWebhookSegment } from "../../../shared/terms/webhook-path.ts";
import { fc } from "../../support/fixed-seed.ts";

/** Ids as tokens may contain them, with all characters that a path gives a meaning. */
const organization = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 128, unit: "grapheme" }),
    fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(..."a~=%/?#&+.:@2F") }),
  )
  // A token with such an organization is refused, because no URL can contain the segment.
  .filter((id) => id !== "." && id !== "..");

describe("the organization in a webhook URL", () => {
  it("is percent-encoded for a Lambda URL", () => {
    expect(toWebhookSegment("acme/x ~", "url")).toBe("acme%2Fx%20~");
    fc.assert(fc.property(organization, (id) => fromWebhookSegment(toWebhookSegment(id, "url")) === id));
  });

  it("survives an HTTP API, which decodes the path", () => {
    expect(toWebhookSegment("acme-1.eu_x~", "api")).toBe("acme-1.eu_x~");
    expect(toWebhookSegment("a/b", "api")).toBe("=YS9i");
    fc.assert(
      fc.property(organization, (id) => {
        const segment = toWebhookSegment(id, "api");
        const path = new URL(`https://hooks.example/${segment}`).pathname;
        expect(path).toBe(`/${segment}`);
        expect(decodeURIComponent(segment)).toBe(segment);
        expect(fromWebhookSegment(segment)).toBe(id);
      }),
    );
  });

  it("is undefined if the segment is malformed", () => {
    for (const segment of ["%", "%FF", "=_w"]) expect(fromWebhookSegment(segment)).toBeUndefined();
  });
});
