import { describe, expect, it } from "@jest/globals";
import { failedIn } from "../../../../infra/local/queues/lambda-batch.ts";

const messages = [{ id: "a" }, { id: "b" }, { id: "c" }];
const failed = (answer: unknown) => failedIn(messages, JSON.stringify(answer)).map(({ id }) => id);

describe("a partial batch response", () => {
  it.each([
    [{ batchItemFailures: [{ itemIdentifier: "b" }] }, ["b"]],
    [{ batchItemFailures: [{ itemIdentifier: "c" }, { itemIdentifier: "a" }] }, ["a", "c"]],
    [{ batchItemFailures: [] }, []],
    [{ batchItemFailures: null }, []],
    [{}, []],
    [null, []],
    [{ batchItemFailures: [{ itemIdentifier: "" }] }, ["a", "b", "c"]],
    [{ batchItemFailures: [{ itemIdentifier: null }] }, ["a", "b", "c"]],
    [{ batchItemFailures: [{ id: "a" }] }, ["a", "b", "c"]],
    [{ batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "unknown" }] }, ["a", "b", "c"]],
    [{ batchItemFailures: "a" }, ["a", "b", "c"]],
    ["text", ["a", "b", "c"]],
  ])("%j leaves %j", (answer, expected) => {
    expect(failed(answer)).toEqual(expected);
  });
});
