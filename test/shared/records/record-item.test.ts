import { describe, expect, it } from "@jest/globals";
import { decideApply } from "../../../shared/records/decide-apply.ts";
import { fromItem, isStorable, positionOf, toItem } from "../../../shared/records/record-item.ts";
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

describe("the keys by which a customer is found", () => {
  const stored = { ...customer(seen(10), { name: "Ada M\u00dcLLER", email: null }), updatedAt: 1, isInQuestion: false };
  const record = { ...stored, version: "v" };

  it("are the name and the e-mail address in lower case, if there are any", () => {
    expect(toItem("o", record)).toMatchObject({ nameKey: "ada m\u00fcller", emailKey: undefined });
    const long = { ...record, fields: { ...record.fields, name: "\u{1F331}".repeat(300), email: "" } };
    expect(toItem("o", long)).toMatchObject({ nameKey: "\u{1F331}".repeat(200), emailKey: undefined });
    expect(toItem("o", { ...record, fields: undefined })).toMatchObject({ nameKey: undefined, emailKey: undefined });
  });

  it("are missing in an item of an earlier version, which a full run therefore writes once more", () => {
    const { nameKey: _, ...old } = toItem("o", record);
    const read = fromItem(old);
    expect(read).toMatchObject({ lacksSearchKeys: true });
    expect(toItem("o", read)).toMatchObject({ nameKey: undefined });
    const observed = {
      observation: customer(seen(10), { name: "Ada M\u00dcLLER", email: null }),
      invoiceId: undefined,
    };
    const options = { updatesObservedAt: false };
    expect(decideApply(read, observed, options)).toMatchObject({ kind: "write", isChange: false });
    expect(decideApply(fromItem(toItem("o", record)), observed, options)).toEqual({ kind: "keep" });
  });
});
