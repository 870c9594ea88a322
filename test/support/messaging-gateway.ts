import type { StackModel } from "../../infra/local/core/model.ts";
import { createEventBuses } from "../../infra/local/events/event-buses.ts";
import { createEventsService } from "../../infra/local/gateway/events-service.ts";
import { startTestGateway } from "./test-gateway.ts";

/** A gateway with the model's buses. Rules deliver nothing. Close it in `afterAll`. */
export const startMessagingGateway = async (model: StackModel) => {
  const clock = { now: () => Date.now() };
  const lines: string[] = [];
  const buses = createEventBuses({ model, clock, deliver: async () => {}, log: (line) => lines.push(line) });
  const gateway = await startTestGateway(model, { services: { events: createEventsService({ model, buses }) } });
  return {
    ...gateway,
    buses,
    lines,
    /** Makes one call of the JSON protocol as the function with the role's name. Parses the answer's body. */
    async call(
      role: string,
      service: string,
      target: string,
      body: unknown,
    ): Promise<{ status: number; body: unknown }> {
      const { accessKeyId } = gateway.placeOf(role).credentials;
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
