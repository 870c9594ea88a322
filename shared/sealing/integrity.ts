/** The query and the answer of GET …/security/integrity. docs/evidence.md, "Integrity". */
import * as z from "zod/mini";
import { described } from "../json/described.ts";
import { instantParameter } from "../json/instant.ts";
import { HourIntegrity } from "./hour-integrity.ts";

export const IntegrityQuery = z.object({
  since: z.optional(instantParameter("From this hour on; 24 hours before `until` by default. A whole hour.")),
  until: z.optional(instantParameter("Before this hour; the end of the last whole hour by default. A whole hour.")),
});

export type IntegrityQuery = z.output<typeof IntegrityQuery>;

export const Integrity = z
  .object({
    hours: z.array(HourIntegrity),
    publicKey: described(z.string(), "The verifier key of the checkpoints, as C2SP writes it; one a line."),
    log: described(
      z.enum(["consistent", "broken"]),
      "Whether the deployment's log is the one that its newest checkpoint signs, and counts all records of the organization.",
    ),
  })
  .register(z.globalRegistry, { id: "Integrity", description: "Sealed hours, computed again from the stored events." });
export type Integrity = z.output<typeof Integrity>;
