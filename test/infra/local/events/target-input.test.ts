import { describe, expect, it } from "@jest/globals";
import { requireTargetInput, targetPayload } from "../../../../infra/local/events/target-input.ts";

const event = {
  id: "1",
  "detail-type": "Alert",
  detail: { level: "HIGH", count: 2, quote: 'say "hi"', nested: { a: 1 } },
};
const fill = (template: string, paths: Record<string, string> = {}) => targetPayload({ paths, template }, event);

describe("a target's input", () => {
  it("is the event, or a template whose variables are replaced by JSON", () => {
    expect(JSON.parse(targetPayload(undefined, event))).toEqual(event);
    const paths = {
      level: "$.detail.level",
      n: "$.detail.count",
      all: "$.detail.nested",
      no: "$.no.deeper",
      type: "$.detail-type",
    };
    expect(fill('{"level":<level>,"n":<n>,"all":<all>}', paths)).toBe('{"level":"HIGH","n":2,"all":{"a":1}}');
    expect(fill('{"a":<no>,"b":<type>}', paths)).toBe('{"a":null,"b":"Alert"}');
    expect(JSON.parse(fill('{"event":<e>}', { e: "$" }))).toEqual({ event });
    expect(JSON.parse(fill('{"q":<q>}', { q: "$.detail.quote" }))).toEqual({ q: 'say "hi"' });
  });

  it("is an error if the filled template is not JSON", () => {
    expect(() => fill("level <level>", { level: "$.detail.level" })).toThrow(
      'makes no JSON of the event: level "HIGH"',
    );
  });

  it.each([
    ["$..id", "<x>", "$..id"],
    ["$.a[*]", "<x>", "$.a[*]"],
    ["$.a[0]", "<x>", "$.a[0]"],
    ["detail", "<x>", "detail"],
    ["$.a", '{"a":<b>}', "uses <b>"],
    ["$.a", '{"a":<aws.events.rule-name>}', "uses <aws.events.rule-name>"],
    ["$.a", '"level <x>"', "inside quotation marks"],
  ])("with the path %s and the template %s is refused with an explanation", (path, template, problem) => {
    expect(() => requireTargetInput({ paths: { x: path }, template })).toThrow(problem);
  });

  it("with supported paths and variables is accepted", () => {
    expect(() => requireTargetInput({ paths: { id: "$.id" }, template: '{"id":<id>,"time":"now"}' })).not.toThrow();
  });
});
