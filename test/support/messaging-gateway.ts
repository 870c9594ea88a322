import type { StackModel } from "../../infra/local/core/model.ts";
import { createEventBuses } from "../../infra/local/events/event-buses.ts";
import { createEventsService } from "../../infra/local/gateway/events-service.ts";
import { type Denial, startGateway } from "../../infra/local/gateway/gateway.ts";
import { createAuthorizer } from "../../infra/local/iam/authorizer.ts";
import { functionArn } from "./stack-model.ts";

/** A gateway with the model's buses. Rules deliver nothing. Close it in `afterAll`. */
export const startMessagingGateway = async (model: StackModel) => {
  const clock = { now: () => Date.now() };
  const denials: Denial[] = [];
  const lines: string[] = [];
  const buses = createEventBuses({ model, clock, deliver: async () => {}, log: (line) => lines.push(line) });
  const gateway = await startGateway({
    model,
    authorizer: createAuthorizer(model),
    dynamodbEndpoint: "http://127.0.0.1:9",
    onDenied: (denial) => denials.push(denial),
    services: {
      events: createEventsService({ model, buses }),
    },
  });
  return {
    ...gateway,
    buses,
    denials,
    lines,
    /** Makes one call of the JSON protocol as the function with the role's name. Parses the answer's body. */
    async call(
      role: string,
      service: string,
      target: string,
      body: unknown,
    ): Promise<{ status: number; body: unknown }> {
      const { accessKeyId } = gateway.credentialsFor(functionArn(role));
      const response = await fetch(gateway.url, {
        method: "POST",
        headers: {
          "x-amz-target": target,
          authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20261121/${model.region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
        },
        body: JSON.stringify(body),
      });
      const answer: unknown = await response.json();
      return { status: response.status, body: answer };
    },
  };
};
