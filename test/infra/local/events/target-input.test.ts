import { describe, expect, it } from "@jest/globals";
import type { TargetInput } from "../../../../infra/local/core/model.ts";
import { requirePath, requireTemplate, targetPayload } from "../../../../infra/local/events/target-input.ts";

const event = {
  id: "1",
  "detail-type": "Alert",
  detail: { level: "HIGH", count: 2, quote: 'say "hi"', list: [{ id: "x" }], nested: { a: 1 } },
};
const payload = (input: TargetInput | undefined) =>
  targetPayload(input, { event, ruleArn: "arn:aws:events:r:1:rule/bus/alerts", ingestedAt: "2026-11-21T00:00:00Z" });
const fromTemplate = (template: string, paths: Record<string, string> = {}) =>
  payload({ kind: "template", paths, template });

describe("a target's input", () => {
  it("is the event, a constant, or a part of the event", () => {
    expect(JSON.parse(payload(undefined))).toEqual(event);
    expect(payload({ kind: "constant", value: { a: 1 } })).toBe('{"a":1}');
    expect(payload({ kind: "path", path: "$.detail.nested" })).toBe('{"a":1}');
    expect(payload({ kind: "path", path: "$.detail-type" })).toBe('"Alert"');
    expect(payload({ kind: "path", path: "$.detail.list[0].id" })).toBe('"x"');
    expect(payload({ kind: "path", path: "$.absent.deeper" })).toBe("null");
    expect(JSON.parse(payload({ kind: "path", path: "$" }))).toEqual(event);
  });

  it("is made by a template: JSON outside quotation marks, text within", () => {
    const paths = {
      level: "$.detail.level",
      n: "$.detail.count",
      all: "$.detail.nested",
      quote: "$.detail.quote",
      no: "$.no",
    };
    expect(fromTemplate('{"level":<level>,"n":<n>,"all":<all>}', paths)).toBe('{"level":"HIGH","n":2,"all":{"a":1}}');
    expect(fromTemplate('"level <level> (<n>), <quote>, <no>."', paths)).toBe('"level HIGH (2), say \\"hi\\", ."');
    expect(fromTemplate('{"a":<no>}', paths)).toBe('{"a":null}');
    expect(fromTemplate('"an \\" <level>"', paths)).toBe('"an \\" HIGH"');
    expect(fromTemplate('{"rule":<aws.events.rule-name>}')).toBe('{"rule":"alerts"}');
    expect(JSON.parse(fromTemplate('{"event":<aws.events.event.json>}'))).toEqual({ event });
  });

  it("cannot be made where the template makes no JSON of the event", () => {
    expect(() => fromTemplate("level <level>", { level: "$.detail.level" })).toThrow(
      'makes no JSON of the event: level "HIGH"',
    );
  });

  it("is refused beforehand for paths and variables that are not understood", () => {
    expect(requirePath("$.detail.list[0].id")).toBe("$.detail.list[0].id");
    for (const path of ["detail", "$..id", "$.a[*]", "$['a']", "$.a["]) expect(() => requirePath(path)).toThrow(path);
    expect(() => requireTemplate('"<a> <b>"', { a: "$" })).toThrow("<b>");
    expect(requireTemplate('"<a> <aws.events.rule-arn>"', { a: "$" })).toContain("<a>");
  });
});
