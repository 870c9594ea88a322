/** The right to publish on the service's event bus. */
import type { EventBus } from "aws-cdk-lib/aws-events";
import { EVENT_SOURCE, eventsPublishedBy, RECORDERS } from "../../../shared/api/bus-events.ts";
import { type Access, NO_ACCESS } from "./access.ts";

/**
 * A function publishes exactly the events of which the table of bus events names it as a publisher, as the service.
 * A bus takes events of any type and source from a role that is not limited, and its consumers would believe them.
 *
 * `ForAnyValue`, because IAM knows `events:source` as a list. `ForAllValues` would hold for a request without a source.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-conditions.html
 * @param file the function's, without folder and extension.
 */
export const publishingAs = (file: string, { isRecorder }: Access, bus: EventBus): Access => {
  const types = eventsPublishedBy(file, ...(isRecorder === true ? [RECORDERS] : []));
  if (types.length === 0) return NO_ACCESS;
  return {
    grants: [
      {
        actions: ["events:PutEvents"],
        resources: [bus.eventBusArn],
        conditions: {
          StringEquals: { "events:detail-type": types },
          "ForAnyValue:StringEquals": { "events:source": [EVENT_SOURCE] },
        },
      },
    ],
    environment: { EVENT_BUS_NAME: bus.eventBusName },
  };
};
