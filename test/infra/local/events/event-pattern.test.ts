import { describe, expect, it } from "@jest/globals";
import { compileEventPattern } from "../../../../infra/local/events/event-pattern.ts";

const event = {
  source: "shop.security",
  "detail-type": "AlertRaised",
  resources: ["arn:aws:a", "arn:aws:b"],
  detail: {
    level: "HIGH",
    count: 3,
    share: 0.5,
    nothing: null,
    open: true,
    empty: "",
    none: [],
    tags: ["red", "Green"],
    path: "dir/lib/file*.PNG",
    items: [
      { sku: "a", size: 1 },
      { sku: "b", size: 2 },
    ],
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
    [{ detail: { items: { sku: ["a"], size: [1] } } }, true],
    [{ detail: { items: { sku: ["a"], size: [2] } } }, false],
    [{ $or: [{ source: ["other"] }, { detail: { level: ["HIGH"] } }] }, true],
    [{ $or: [{ source: ["other"] }, { detail: { level: ["LOW"] } }] }, false],
    [{ "detail-type": ["No"], $or: [{ source: ["shop.security"] }, { source: ["x"] }] }, false],
    [{ detail: { $or: [{ level: ["LOW"] }, { count: [3] }] } }, true],
  ])("%j matches: %s", (pattern, expected) => {
    expect(matches(pattern)).toBe(expected);
  });

  it.each([
    ["level", ["HIGH"], true],
    ["count", [3], true],
    ["count", ["3"], false],
    ["share", [0.5], true],
    ["nothing", [null], true],
    ["level", [null], false],
    ["open", [true], true],
    ["open", ["true"], false],
    ["empty", [""], true],
    ["tags", ["red"], true],
    ["level", [{ prefix: "HI" }], true],
    ["level", [{ prefix: "hi" }], false],
    ["level", [{ prefix: { "equals-ignore-case": "hi" } }], true],
    ["path", [{ suffix: ".PNG" }], true],
    ["path", [{ suffix: ".png" }], false],
    ["path", [{ suffix: { "equals-ignore-case": ".png" } }], true],
    ["count", [{ prefix: "3" }], false],
    ["tags", [{ "equals-ignore-case": "GREEN" }], true],
    ["level", [{ "equals-ignore-case": "higher" }], false],
    ["path", [{ wildcard: "dir/*/file*" }], true],
    ["path", [{ wildcard: "*lib*PNG" }], true],
    ["path", [{ wildcard: "dir/*.JPG" }], false],
    ["path", [{ wildcard: "dir/lib/file\\*.PNG" }], true],
    ["level", [{ wildcard: "H\\*" }], false],
    ["count", [{ numeric: ["=", 3] }], true],
    ["count", [{ numeric: [">", 3] }], false],
    ["count", [{ numeric: [">=", 3, "<", 4] }], true],
    ["count", [{ numeric: [">", 0, "<=", 2] }], false],
    ["level", [{ numeric: [">", 0] }], false],
    ["count", [{ exists: true }], true],
    ["count", [{ exists: false }], false],
    ["absent", [{ exists: false }], true],
    ["absent", [{ exists: true }], false],
    ["none", [{ exists: true }], false],
    ["nothing", [{ exists: true }], true],
    ["items", [{ exists: true }], false],
    ["level", [{ "anything-but": "LOW" }], true],
    ["level", [{ "anything-but": ["LOW", "HIGH"] }], false],
    ["count", [{ "anything-but": [1, 2] }], true],
    ["count", [{ "anything-but": 3 }], false],
    ["absent", [{ "anything-but": "LOW" }], false],
    ["level", [{ "anything-but": { prefix: "LO" } }], true],
    ["level", [{ "anything-but": { prefix: ["LO", "HI"] } }], false],
    ["path", [{ "anything-but": { suffix: ".PNG" } }], false],
    ["level", [{ "anything-but": { "equals-ignore-case": ["low", "high"] } }], false],
    ["path", [{ "anything-but": { wildcard: "*/lib/*" } }], false],
    ["level", [{ prefix: "x" }, { exists: true }], true],
  ])("detail.%s with %j matches: %s", (field, alternatives, expected) => {
    expect(detail(field, ...alternatives)).toBe(expected);
  });

  it.each([
    [{}, "the pattern is empty"],
    ["text", "the pattern is neither"],
    [{ source: "shop" }, "source is neither a list nor an object"],
    [{ source: [] }, "source has an empty list"],
    [{ detail: { a: {} } }, "detail.a is empty"],
    [{ source: [["a"]] }, "source has a list within"],
    [{ source: [{ cidr: "10.0.0.0/8" }] }, 'source uses {"cidr":"10.0.0.0/8"}'],
    [{ source: [{ prefix: 1 }] }, "source uses"],
    [{ source: [{ prefix: "a", suffix: "b" }] }, "source uses"],
    [{ source: [{ wildcard: "a**b" }] }, "source uses"],
    [{ source: [{ wildcard: "a\\b" }] }, "source uses"],
    [{ source: [{ numeric: ["~", 1] }] }, "source uses"],
    [{ source: [{ numeric: [">", "1"] }] }, "source uses"],
    [{ source: [{ numeric: [">", 1, "<"] }] }, "source uses"],
    [{ source: [{ exists: "yes" }] }, "source uses"],
    [{ source: [{ "anything-but": [] }] }, "source uses"],
    [{ source: [{ "anything-but": { numeric: [">", 1] } }] }, "source uses"],
    [{ source: [{ "anything-but": { prefix: [1] } }] }, "source uses"],
    [{ $or: [{ source: ["a"] }] }, "the pattern has a $or"],
    [{ detail: { $or: { a: ["b"] } } }, "detail has a $or"],
  ])("%j is refused", (pattern, problem) => {
    expect(() => compileEventPattern(pattern)).toThrow(problem);
  });
});
