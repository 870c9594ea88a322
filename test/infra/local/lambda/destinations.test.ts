import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { AsynchronousInvocationModel, PolicyStatement } from "../../../../infra/local/core/model.ts";
import type { NewEvent } from "../../../../infra/local/events/event-buses.ts";
import type { Denial } from "../../../../infra/local/gateway/gateway.ts";
import { createAuthorizer } from "../../../../infra/local/iam/authorizer.ts";
import { createHandOver } from "../../../../infra/local/lambda/destinations.ts";
import type { InvocationResult } from "../../../../infra/local/lambda/function-error.ts";
import { openQueues, type Queues } from "../../../../infra/local/queues/queues.ts";
import { functionArn, stackModel } from "../../../support/stack-model.ts";

const queueArn = "arn:aws:sqs:eu-central-1:000000000000:letters";
const busArn = "arn:aws:events:eu-central-1:000000000000:event-bus/shop";
const allow = (Action: string, Resource: string): PolicyStatement => ({ Effect: "Allow", Action, Resource });
const model = stackModel({
  roles: {
    trusted: [
      allow("sqs:SendMessage", queueArn),
      allow("events:PutEvents", busArn),
      allow("lambda:InvokeFunction", "*"),
    ],
    bare: [],
  },
});
model.queues.push({
  logicalId: "Letters",
  name: "letters",
  arn: queueArn,
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 3600,
  delaySeconds: 0,
  receiveWaitSeconds: 0,
  maximumMessageBytes: 4096,
});

let dataDirectory: string;
let queues: Queues;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), "destinations-"));
  queues = openQueues({ queues: model.queues, dataDirectory, clock: Date });
});
afterEach(() => {
  queues.close();
  rmSync(dataDirectory, { recursive: true });
});

const failure: InvocationResult = {
  ok: false,
  reason: "failed",
  error: { errorType: "Error", errorMessage: "no", trace: [] },
};
/** Hands over one outcome of a function of that role, configured so. */
const handOver = (
  role: string,
  configuration: Omit<AsynchronousInvocationModel, "functionArn">,
  result: InvocationResult = failure,
  payload = '{"n":1}',
) => {
  const [denials, published, invoked, lines]: [Denial[], NewEvent[], string[], string[]] = [[], [], [], []];
  const isKept = createHandOver({
    model: { ...model, asynchronousInvocations: [{ functionArn: functionArn(role), ...configuration }] },
    authorizer: createAuthorizer(model),
    queues,
    buses: { publish: (_bus, event) => String(published.push(event)) },
    invoke: (arn) => invoked.push(arn),
    clock: Date,
    onDenied: (denial) => denials.push(denial),
    log: (line) => lines.push(line),
  })({
    functionArn: functionArn(role),
    payload,
    attempts: 3,
    condition: result.ok ? "Success" : "RetriesExhausted",
    result,
  });
  const bodies = queues
    .find(queueArn)
    ?.peek(10)
    .map(({ body }) => JSON.parse(body));
  return { isKept, denials, published, invoked, lines, bodies };
};

describe("what became of an asynchronous invocation", () => {
  it("is a record for a destination, the bare event for a dead-letter queue", () => {
    const { isKept, bodies } = handOver("trusted", { onFailureArn: queueArn, deadLetterArn: queueArn });
    expect(isKept).toBe(true);
    expect(bodies).toEqual([
      expect.objectContaining({
        requestPayload: { n: 1 },
        responsePayload: { errorType: "Error", errorMessage: "no", trace: [] },
      }),
      { n: 1 },
    ]);
  });

  it("goes to a bus or to a function, too, and a success only where one is asked for", () => {
    expect(handOver("trusted", { onFailureArn: busArn }).published).toMatchObject([
      {
        source: "lambda",
        detailType: "Lambda Function Invocation Result - Failure",
        resources: [busArn, expect.any(String)],
      },
    ]);
    expect(handOver("trusted", { onFailureArn: functionArn("bare") }).invoked).toEqual([functionArn("bare")]);
    const success = { ok: true, payload: "null" } as const;
    expect(handOver("trusted", { onFailureArn: busArn }, success).published).toEqual([]);
    expect(handOver("trusted", { onSuccessArn: busArn }, success).published).toMatchObject([
      { detailType: "Lambda Function Invocation Result - Success", detail: { responsePayload: null } },
    ]);
  });

  it.each([
    [{ onFailureArn: queueArn }, "sqs:SendMessage", queueArn],
    [{ deadLetterArn: queueArn }, "sqs:SendMessage", queueArn],
    [{ onFailureArn: busArn }, "events:PutEvents", busArn],
    [{ onFailureArn: functionArn("trusted") }, "lambda:InvokeFunction", functionArn("trusted")],
  ])("is lost with a word where the role may not hand it over: %j", (configuration, action, resource) => {
    const { isKept, denials, published, invoked, lines, bodies } = handOver("bare", configuration);
    expect({ isKept, published, invoked, bodies }).toEqual({ isKept: false, published: [], invoked: [], bodies: [] });
    expect(denials).toEqual([{ logicalId: "bare", action, resource, reason: expect.any(String) }]);
    expect(lines).toEqual([expect.stringMatching(/^LOST /)]);
  });

  it("is lost with a word where it is too large, and nobody keeps what nobody is to get", () => {
    const tooLarge = JSON.stringify("x".repeat(5000));
    expect(handOver("trusted", { deadLetterArn: queueArn }, failure, tooLarge)).toMatchObject({
      isKept: false,
      lines: [expect.stringMatching(/^LOST /)],
    });
    expect(handOver("trusted", {}).isKept).toBe(false);
  });
});
