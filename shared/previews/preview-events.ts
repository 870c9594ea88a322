/** The bus event that requests a worker for a preview. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";

export const PREVIEW_REQUESTED_TYPE = "PreviewRequested";

/** The detail: which preview needs a worker. A detail of the same version may only gain fields. */
export const PreviewRequested = z.object({ version: z.literal(1), organizationId: z.string(), previewId: z.string() });
export type PreviewRequested = z.output<typeof PreviewRequested>;

/** If it is delivered twice or too late, it changes nothing. */
export const previewRequested = (one: Omit<PreviewRequested, "version">): BusEvent & { detail: PreviewRequested } => ({
  source: EVENT_SOURCE,
  detailType: PREVIEW_REQUESTED_TYPE,
  detail: { version: 1, ...one },
});
