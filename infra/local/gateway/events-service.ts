import * as z from "zod";
import { busNameOf, DEFAULT_BUS, type StackModel } from "../core/model.ts";
import type { EventBuses, NewEvent } from "../events/event-buses.ts";
import type { Check } from "../iam/authorizer.ts";

import { type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

/** Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const MAX_ENTRIES = 10;
/** All entries of a request together; 256 KB until January 2026. Source: https://aws.amazon.com/blogs/compute/more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb */
const MAX_BYTES = 1_048_576;

const Entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  EventBusName: z.string().default(DEFAULT_BUS),
  Resources: z.array(z.string()).default([]),
  /** Epoch seconds. */
  Time: z.number().optional(),
});
const Request = z.object({ Entries: z.array(Entry) });

type Entry = z.infer<typeof Entry>;
type Failure = { ErrorCode: string; ErrorMessage: string };

/** Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
const bytesOf = ({ Source = "", DetailType = "", Detail = "", Resources, Time }: Entry): number =>
  Buffer.byteLength([Source, DetailType, Detail, ...Resources].join("")) + (Time === undefined ? 0 : 14);

const detailOf = (text: string): Record<string, unknown> | undefined => {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const readEntry = ({ Source, DetailType, Detail, Resources, Time }: Entry): NewEvent | Failure => {
  const missing = Object.entries({ Source, DetailType, Detail }).find(
    ([, value]) => value === undefined || value === "",
  );
  if (Source === undefined || DetailType === undefined || Detail === undefined || missing !== undefined) {
    const name = missing?.[0] ?? "";
    const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
    return { ErrorCode: "InvalidArgument", ErrorMessage };
  }
  if (Source.startsWith("aws."))
    return { ErrorCode: "NotAuthorizedForSourceException", ErrorMessage: "Not authorized for the source." };
  const detail = detailOf(Detail);
  if (detail === undefined) return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." };
  return {
    source: Source,
    detailType: DetailType,
    detail,
    resources: Resources,
    ...(Time !== undefined && { epochMs: Time * 1000 }),
  };
};

/** EventBridge's operation PutEvents; every other operation is denied. */
export const createEventsService = (options: {
  model: Pick<StackModel, "region" | "accountId">;
  buses: Pick<EventBuses, "publish">;
}): AwsService => {
  const { model, buses } = options;

  const checkOf = ({ EventBusName, Source, DetailType }: Entry): Check => ({
    action: "events:PutEvents",
    resource: `arn:aws:events:${model.region}:${model.accountId}:event-bus/${busNameOf(EventBusName)}`,
    context: {
      ...(Source !== undefined && { "events:source": [Source] }),
      ...(DetailType !== undefined && { "events:detail-type": [DetailType] }),
    },
  });

  const put = (entry: Entry): { EventId: string } | Failure => {
    const event = readEntry(entry);
    return "ErrorCode" in event ? event : { EventId: buses.publish(busNameOf(entry.EventBusName), event) };
  };

  return {
    checks: ({ operation, json }) => {
      const entries = operation === "PutEvents" ? Request.safeParse(json).data?.Entries : undefined;
      return entries?.length === 0 ? [checkOf(Entry.parse({}))] : entries?.map(checkOf);
    },
    answer: async ({ json }) => {
      const { Entries: entries } = Request.parse(json);
      if (entries.length < 1 || entries.length > MAX_ENTRIES) {
        const bound = entries.length < 1 ? "greater than or equal to 1" : `less than or equal to ${MAX_ENTRIES}`;
        const message = `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ${bound}`;
        return errorAnswer(400, "ValidationException", message);
      }
      if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > MAX_BYTES)
        return errorAnswer(400, "ValidationException", "Total size of the entries in the request is over the limit.");
      const results = entries.map(put);
      return jsonAnswer(200, {
        FailedEntryCount: results.filter((result) => "ErrorCode" in result).length,
        Entries: results,
      });
    },
    close: () => {},
  };
};
