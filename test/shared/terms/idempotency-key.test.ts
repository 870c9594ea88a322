import { expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { IdempotencyHeader } from "../../../shared/terms/idempotency-key.ts";

const parse = (key: unknown) => IdempotencyHeader.safeParse({ "Idempotency-Key": key });

it.each(["k", "!", "~", "a".repeat(255)])("%j is a key", (key) => {
  expect(parse(key).data).toEqual({ "Idempotency-Key": key });
});

it.each(["", " ", " k", "k ", "k\n", "\nk", "a b", "\u007f", "ä", "a".repeat(256), 7])("%j is no key", (key) => {
  expect(parse(key).error?.issues).toMatchObject([
    { path: ["Idempotency-Key"], message: "expected 1 to 255 visible ASCII characters" },
  ]);
});

it("a key may be left out, and is documented with its limits", () => {
  expect(IdempotencyHeader.parse({})).toEqual({});
  const { innerType } = IdempotencyHeader.shape["Idempotency-Key"].def;
  expect(z.globalRegistry.get(innerType)).toMatchObject({
    override: { type: "string", minLength: 1, maxLength: 255 },
  });
});
