import { describe, expect, it } from "@jest/globals";
import { organizationIdOf, organizationKey, partKey } from "../../../shared/terms/keys.ts";
import { fc } from "../../support/fixed-seed.ts";

it("keys count a lone surrogate as U+FFFD", () => {
  expect(partKey(organizationKey("a\ud800"), "\udfff")).toBe(partKey(organizationKey("a\ufffd"), "\ufffd"));
  const long = "\ud800".repeat(900);
  expect(partKey("org#acme", long)).toBe(partKey("org#acme", "\ufffd".repeat(900)));
});

/** DynamoDB's limits, in bytes. */
const MAX_PARTITION_KEY_BYTES = 2_048;
const MAX_SORT_KEY_BYTES = 1_024;

/** A character of each width in UTF-8, and characters that the encodings themselves use. */
const WIDTHS = ["x", "é", "€", "🌱"];
const CHARACTERS = [...WIDTHS, "#", "%", "=", "/", "+", "-", "_", "5", "\u0000"];

/** A text of 1 to 128 code points: of one character, or of several. */
const identifier = fc.oneof(
  fc
    .tuple(fc.constantFrom(...CHARACTERS), fc.integer({ min: 1, max: 128 }))
    .map(([character, count]) => character.repeat(count)),
  fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 128 }).map((characters) => characters.join("")),
);

/** The longest id of the provider: 255 UTF-16 units. */
const PROVIDER_IDS = ["x", "é", "€", "%", "#"].map((character) => character.repeat(255));

const identifiersOf = (character: string) => Array.from({ length: 128 }, (_, i) => character.repeat(i + 1));

describe.each(WIDTHS)("ids of 1 to 128 of the character %s", (character) => {
  const ids = identifiersOf(character);

  it("have organization keys that fit a sort key, name them, and differ", () => {
    const keys = ids.map(organizationKey);
    expect(Math.max(...keys.map((key) => Buffer.byteLength(key)))).toBeLessThanOrEqual(MAX_SORT_KEY_BYTES);
    expect(keys.map(organizationIdOf)).toEqual(ids);
    expect(new Set(keys).size).toBe(ids.length);
  });

  it("have user keys that fit a partition key, and differ", () => {
    for (const organization of ["acme", character.repeat(128)]) {
      const keys = ids.map((id) => partKey(organizationKey(organization), id));
      expect(Math.max(...keys.map((key) => Buffer.byteLength(key)))).toBeLessThanOrEqual(MAX_PARTITION_KEY_BYTES);
      expect(new Set(keys).size).toBe(ids.length);
    }
  });

  it("have customer keys that fit a partition key", () => {
    for (const id of ids) {
      for (const customerId of PROVIDER_IDS) {
        const key = partKey(partKey(organizationKey(id), "subscriptions"), customerId);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(MAX_PARTITION_KEY_BYTES);
      }
    }
  });
});

describe("keys", () => {
  it("are percent-encoded as long as they fit, so that stored items are found again", () => {
    expect(organizationKey("acme/ä#b")).toBe("org#acme%2F%C3%A4%23b");
    expect(partKey("org#acme", "ada lovelace")).toBe("org#acme#ada%20lovelace");
    // 4 + 113 · 9 = 1,021 bytes; one more would be 1,030.
    expect(organizationKey("€".repeat(113))).toBe(`org#${"%E2%82%AC".repeat(113)}`);
    expect(organizationKey("€".repeat(114))).toBe(`org#=${Buffer.from("€".repeat(114)).toString("base64url")}`);
    expect(partKey("org#acme", "🌱".repeat(128))).toBe(`org#acme#${"%F0%9F%8C%B1".repeat(128)}`);
  });

  it("differ for different ids, even for an id that looks like another's encoded form", () => {
    fc.assert(
      fc.property(identifier, identifier, identifier, identifier, (organization, other, user, otherUser) => {
        const [key, otherKey] = [organizationKey(organization), organizationKey(other)];
        expect(key === otherKey).toBe(organization === other);
        expect(organizationIdOf(key)).toBe(organization);
        const isSame = organization === other && user === otherUser;
        expect(partKey(key, user) === partKey(otherKey, otherUser)).toBe(isSame);
        for (const id of [key.slice("org#".length), key]) {
          expect(organizationKey(id) === key).toBe(id === organization);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
