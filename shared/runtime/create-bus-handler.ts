/** From an event of the bus, or of a schedule, to a piece of work: one log line, and failures that reach Lambda. */
import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { logRun, type RunSummary } from "./create-scheduled-handler.ts";

/** What EventBridge puts around the detail. `id` is the same when an event is delivered again. */
const Envelope = z.object({ id: z.string(), time: z.string(), detail: z.unknown() });

/** `timeMs`: when the event was sent or the schedule fell due, epoch ms; `remainingMs`: what is left of the function's time. */
export type Delivery = { id: string; timeMs: number; remainingMs: () => number };

export type BusHandler = (event: unknown, context: Context) => Promise<RunSummary>;

/**
 * The Lambda handler of a rule of the event bus, or of a schedule, whose detail is empty. Delivery is at least once, and
 * what throws is delivered twice more: the work must bear being done again.
 * @param schema of the detail; an event whose detail is none throws.
 */
export const createBusHandler = <Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  work: (detail: z.output<Schema>, delivery: Delivery) => Promise<RunSummary>,
): BusHandler =>
  middy((event: unknown, context: Context) => {
    const { id, time, detail } = Envelope.parse(event);
    const remainingMs = () => context.getRemainingTimeInMillis();
    return work(schema.parse(detail), { id, timeMs: Date.parse(time), remainingMs });
  }).use(logRun(name));
