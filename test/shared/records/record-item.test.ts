import { expect, it } from "@jest/globals";
import { isStorable, positionOf, toItem } from "../../../shared/records/record-item.ts";
import { MAX_SORT_KEY_BYTES } from "../../../shared/terms/keys.ts";
import { customer, seen } from "../../support/records.ts";

it("sorts records by the time of their creation, in 15 digits, and by their id", () => {
  const state = { ...customer(seen(10)), createdAt: 1_795_300_000_000 };
  const item = toItem("o", { ...state, updatedAt: 1, isInQuestion: false, version: "v" });
  expect(item.createdKey).toBe("001795300000000#cus_1");
  expect(positionOf(item)).toEqual({ createdAt: 1_795_300_000_000, id: "cus_1" });
});

it("stores an id that fits into each of the sort keys", () => {
  const longest = "x".repeat(MAX_SORT_KEY_BYTES - "001795300000000#".length);
  expect(isStorable({ type: "customers", id: longest })).toBe(true);
  expect(isStorable({ type: "customers", id: `${longest}x` })).toBe(false);
});
