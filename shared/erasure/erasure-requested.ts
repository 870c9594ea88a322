/** What is asked of workers over the event bus. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../security/event-source.ts";

export const ERASURE_REQUESTED_TYPE = "ErasureRequested";

/** The detail of the event: which erasure is to be worked on. A detail of the same version only ever gains fields. */
export const ErasureRequested = z.object({ version: z.literal(1), organizationId: z.string(), erasureId: z.string() });
export type ErasureRequested = z.output<typeof ErasureRequested>;

/** The event that asks for work. Delivered twice, or too late, it changes nothing. */
export const erasureRequested = (
  asked: Omit<ErasureRequested, "version">,
): BusEvent & { detail: ErasureRequested } => ({
  source: EVENT_SOURCE,
  detailType: ERASURE_REQUESTED_TYPE,
  detail: { version: 1, ...asked },
});
