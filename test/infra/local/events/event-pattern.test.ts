import { describe, expect, it } from "@jest/globals";
import { compileEventPattern } from "../../../../infra/local/events/event-pattern.ts";

const event = {
  source: "shop.security",
  "detail-type": "AlertRaised",
  resources: ["arn:aws:a", "arn:aws:b"],
  detail: {
    level: "HIGH",
    count: 3,
    nothing: null,
    open: true,
    empty: "",
    none: [],
    tags: ["red", "Green"],
    items: [{ sku: "a", size: 1 }],
    one: { version: 1 },
  },
};
const matches = (pattern: unknown) => compileEventPattern(pattern)(event);
const detail = (field: string, ...alternatives: unknown[]) => matches({ detail: { [field]: alternatives } });

describe("an event pattern", () => {
  it.each([
    [{ source: ["shop.security"] }, true],
    [{ source: ["other", "shop.security"] }, true],
    [{ source: ["shop.securit"] }, false],
    [{ source: ["shop.security"], "detail-type": ["AlertRaised"] }, true],
    [{ source: ["shop.security"], "detail-type": ["AlertResolved"] }, false],
    [{ resources: ["arn:aws:b"] }, true],
    [{ resources: ["arn:aws:c"] }, false],
    [{ detail: { level: ["HIGH"] } }, true],
    [{ detail: ["HIGH"] }, false],
    [{ detail: { level: { deeper: ["HIGH"] } } }, false],
    [{ absent: ["x"] }, false],
    [{ detail: { one: { version: [{ exists: true }] } } }, true],
    [{ detail: { two: { version: [{ exists: true }] } } }, false],
  ])("%j matches: %s", (pattern, expected) => {
    expect(matches(pattern)).toBe(expected);
  });

  it.each([
    ["level", ["HIGH"], true],
    ["count", [3], true],
    ["count", ["3"], false],
    ["nothing", [null], true],
    ["level", [null], false],
    ["open", [true], true],
    ["open", ["true"], false],
    ["empty", [""], true],
    ["tags", ["red"], true],
    ["count", [{ exists: true }], true],
    ["count", [{ exists: false }], false],
    ["absent", [{ exists: false }], true],
    ["absent", [{ exists: true }], false],
    ["none", [{ exists: true }], false],
    ["nothing", [{ exists: true }], true],
    ["items", [{ exists: true }], false],
    ["level", ["x", { exists: true }], true],
  ])("detail.%s with %j matches: %s", (field, alternatives, expected) => {
    expect(detail(field, ...alternatives)).toBe(expected);
  });

  it.each([
    [{}, "the pattern is empty"],
    ["text", "the pattern is neither"],
    [{ source: "shop" }, "source is neither a list nor an object"],
    [{ source: [] }, "source has an empty list"],
    [{ detail: { a: {} } }, "detail.a is empty"],
    [{ source: [["a"]] }, 'does not support ["a"] at source'],
    [{ source: [{ prefix: "a" }] }, 'does not support {"prefix":"a"} at source'],
    [{ source: [{ suffix: "a" }] }, "does not support"],
    [{ source: [{ wildcard: "a*" }] }, "does not support"],
    [{ source: [{ numeric: [">", 1] }] }, "does not support"],
    [{ source: [{ "anything-but": "a" }] }, "does not support"],
    [{ source: [{ "equals-ignore-case": "a" }] }, "does not support"],
    [{ source: [{ cidr: "10.0.0.0/8" }] }, "does not support"],
    [{ source: [{ exists: "yes" }] }, "does not support"],
    [{ source: [{ exists: true, prefix: "a" }] }, "does not support"],
    [{ $or: [{ source: ["a"] }, { source: ["b"] }] }, "does not support $or at the pattern"],
  ])("refuses %j with an explanation", (pattern, problem) => {
    expect(() => compileEventPattern(pattern)).toThrow(problem);
  });
});
