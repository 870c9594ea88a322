/**
 * The OpenAPI document and the validators agree: what the document allows is never refused as malformed, and what it
 * forbids is refused with 400. The values are generated from the document, and changed by one step at its limits.
 */
import { describe, expect, it } from "@jest/globals";
import { createOpenApiDocument } from "../../../shared/api/open-api-document.ts";
import { routes } from "../../../shared/api/routes.ts";
import { encodeJson } from "../../../shared/json/encode-json.ts";
import { INT64_MAX, INT64_MIN } from "../../../shared/json/int64.ts";
import { reviveExactly } from "../../../shared/json/revive-exactly.ts";
import { answerInProcess } from "../../support/answer-in-process.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import {
  ALERTS,
  allInputs,
  allowsInAnyCase,
  type Input,
  isBadRequest,
  operations,
  type Refusal,
  SIGNATURE,
  WORDS_IN_ANY_CASE,
} from "../../support/input-contract.ts";
import { mistakesOf, problemsOf } from "../../support/input-mistakes.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { delivery } from "../webhooks/receive-instance.ts";

quietLog();

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

const alertWith = (metadata: unknown) => ({ action: "generate_alert", title: "t", riskLevel: "LOW", metadata });

/**
 * What JSON Schema cannot say; the document says it in words. The service refuses the example, which the document allows.
 * `isFrequent`: generated values are refused for this reason as well.
 */
const exceptions: { rule: string; of(input: Input): boolean; example: unknown; refusal: Refusal; isFrequent?: true }[] =
  [
    {
      rule: "A cursor must be one that the service issued for this caller and query.",
      of: ({ place, name }) => place === "query" && name === "cursor",
      example: "A".repeat(40),
      refusal: "invalid_cursor",
      isFrequent: true,
    },
    {
      rule: "The metadata of an alert must have at most 2,048 bytes of JSON.",
      of: ({ title }) => title === ALERTS,
      example: alertWith({ a: "é".repeat(1_024) }),
      refusal: "invalid_field",
    },
    {
      rule: "The metadata of an alert must be nested at most 16 deep.",
      of: ({ title }) => title === ALERTS,
      example: alertWith(nested(17)),
      refusal: "invalid_field",
    },
    {
      rule: "The metadata of an alert must not have a key __proto__ inside.",
      of: ({ title }) => title === ALERTS,
      example: alertWith(JSON.parse('{"a":[{"__proto__":1}]}')),
      refusal: "invalid_field",
    },
    {
      rule: "Texts must be well-formed Unicode, without lone surrogates.",
      of: ({ title }) => title === "post /plants: body",
      example: { id: 1, name: "\ud800" },
      refusal: "invalid_json",
    },
    {
      rule: "A body must have at most 64 KiB.",
      of: ({ title }) => title === ALERTS,
      example: { action: "mark_processed", eventIds: Array.from({ length: 100 }, () => "x".repeat(700)) },
      refusal: "body_too_large",
    },
    {
      rule: "The organization of a webhook must be connected.",
      of: ({ title }) => title === "post /{organizationId}: path organizationId",
      example: "nobody",
      refusal: "webhook_rejected",
      isFrequent: true,
    },
    {
      rule: "The signature of a webhook must be made with the organization's secret, and be at most 5 minutes old.",
      of: ({ name }) => name === SIGNATURE,
      example: `t=1795219200,v1=${"0".repeat(64)}`,
      refusal: "webhook_rejected",
      isFrequent: true,
    },
  ];

/** Only the provider knows the secret, so the signature's grammar has a test of its own. */
const generated = allInputs.filter(({ name }) => name !== SIGNATURE);

/** Ids of any form: one that does not exist is 404. */
const isAnyId = ({ place, name, title }: Input) =>
  place === "path" && ["id", "rule", "size"].includes(name) && !title.includes("plants");

const exceptionsOf = (input: Input) => exceptions.filter((one) => one.of(input));

describe("an input that OpenAPI describes", () => {
  it.each(generated)("is judged alike by the document and the service: $title", async (input) => {
    const expected = exceptionsOf(input).flatMap(({ refusal, isFrequent }) => (isFrequent ? [refusal] : []));
    const seen = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(fc.oneof(input.valid, input.near), async (value) => {
        seen.add(input.allows(value));
        const isAllowed = allowsInAnyCase(input, value);
        const refusal = await input.refusal(value);
        // Checked before the fields: an exception, below.
        if (refusal === "body_too_large") return;
        const isAccepted = !isBadRequest(refusal) || (isAllowed && expected.includes(refusal));
        expect({ value, isAccepted }).toEqual({ value, isAccepted: isAllowed });
      }),
      { numRuns: depth(25, 1_000) },
    );
    expect([...seen].sort()).toEqual(isAnyId(input) ? [true] : [false, true]);
  });

  it.each(
    exceptions.flatMap((exception) =>
      allInputs.filter(exception.of).map((input) => ({ ...exception, input, title: input.title })),
    ),
  )("has one rule more: $rule $title", async ({ input, example, refusal }) => {
    expect(input.allows(example)).toBe(true);
    expect(await input.refusal(example)).toBe(refusal);
  });

  it.each(WORDS_IN_ANY_CASE)(
    "is accepted in any case if it is a word of the parameter %s, but not with another letter",
    async (word) => {
      const input = allInputs.find(({ place, name }) => place === "query" && name === word);
      const listed = { eventType: "SYSTEM_OUTAGE", category: "system", riskLevel: "LOW", source: "system" }[word] ?? "";
      for (const text of [
        listed.toLowerCase(),
        listed.toUpperCase(),
        listed.replace(/^./, (letter) => letter.toUpperCase()),
      ])
        expect(await input?.refusal(text)).toBeUndefined();
      expect(await input?.refusal(`${listed}S`)).toBe("invalid_field");
    },
  );

  it("has every exception", () => {
    for (const exception of exceptions) expect(allInputs.filter(exception.of)).not.toEqual([]);
  });
});

describe("a mistake in any part of a request", () => {
  it.each(operations)("has a documented answer, and Allow is complete: $method $path", async (operation) => {
    const mistakes = mistakesOf(operation).filter(({ needsService }) => !needsService);
    const problems: string[] = [];
    for (const mistake of mistakes) {
      const answer = await answerInProcess(mistake);
      problems.push(...problemsOf(mistake, answer).map((problem) => `${mistake.title}: ${problem}`));
    }
    expect(problems).toEqual([]);
    expect(mistakes.length).toBeGreaterThan(20);
  });
});

describe("an integer of 64 bits", () => {
  const ids = allInputs.filter(({ title }) => title === "delete /plants/{id}: path id");

  it("has its exact range in the document and in the service", async () => {
    const { components } = JSON.parse(encodeJson(createOpenApiDocument(routes)), reviveExactly);
    expect(components.schemas.NewPlant.properties.id).toMatchObject({ minimum: INT64_MIN, maximum: INT64_MAX });
    expect(ids).toHaveLength(1);
    for (const { refusal } of ids) {
      for (const id of [INT64_MIN, INT64_MAX]) expect(await refusal(String(id))).toBeUndefined();
      for (const id of [INT64_MIN - 1n, INT64_MAX + 1n]) expect(await refusal(String(id))).toBe("invalid_field");
    }
  });
});

describe("a webhook's signature", () => {
  const inputs = allInputs.filter(({ name }) => name === SIGNATURE);
  const event = { id: "evt_1", type: "customer.updated", created: 1_795_219_200 };
  const genuine = String(delivery(event).headers["stripe-signature"]).split(",");
  const other = fc.oneof(
    fc.stringMatching(/^[a-z0-9_]{1,3}=[!-~]{0,3}$/),
    fc.constantFrom(
      ...genuine,
      `v1=${"0".repeat(64)}`,
      `v1=${"A".repeat(64)}`,
      `v0=${"0".repeat(64)}`,
      "t=1",
      "v1=",
      "",
      "x=é",
    ),
    fc.constantFrom(`${"s".repeat(16)}=`, `${"s".repeat(17)}=`, `x=${"y".repeat(1_950)}`, " v0=1", "V0=1"),
  );
  const header = fc
    .tuple(fc.array(other, { maxLength: 3 }), fc.array(other, { maxLength: 2 }), fc.constantFrom(0, 0, 10, 14, 16))
    .map(([before, after, more]) => [...before, ...genuine, ...after, ...Array(more).fill("v0=1")].join(","));

  it("is read by the grammar of the document", async () => {
    expect(inputs).toHaveLength(2);
    const seen = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(header, async (value) => {
        for (const { allows, send } of inputs) {
          seen.add(allows(value));
          expect({ value, refusal: await send({ [`header ${SIGNATURE}`]: value, "body ": event }) }).toEqual({
            value,
            refusal: allows(value) ? undefined : "webhook_rejected",
          });
        }
      }),
      { numRuns: depth(60, 5_000) },
    );
    expect([...seen].sort()).toEqual([false, true]);
  });
});
