/** The endpoints of the sealed log of security events. Decisions: docs/evidence.md. */
import { Coverage, CoverageQuery } from "../completeness/coverage.ts";
import { defineRoutes } from "../http/route.ts";
import { CheckpointParams, CheckpointQuery, CheckpointWithProof } from "../sealing/checkpoint.ts";
import { Integrity, IntegrityQuery } from "../sealing/integrity.ts";

export const evidenceRoutes = defineRoutes("security", {
  getIntegrity: {
    method: "GET",
    path: "/api/integrations/provider/security/integrity",
    permission: "security:read",
    summary: "Check that the stored events are those that were sealed",
    description:
      "Computes the leaves and roots of each hour of a period again, from the stored events or the archive, and compares them with the sealed log and its signed checkpoint. The period is of whole hours, at most 31 days and 50,000 sealed events.",
    request: { query: IntegrityQuery },
    success: { status: 200, description: "Each hour of the period, oldest first.", body: Integrity },
  },
  getCoverage: {
    method: "GET",
    path: "/api/integrations/provider/security/coverage",
    permission: "security:read",
    summary: "Show that the events of a month are complete",
    description:
      "For each day that is over: how many events are recorded, counted in the statistics, sealed, archived and fed to a SIEM, and which hours detection has judged. The sums are made at night, from three hours after the day's end on. Unequal sums raise an alert of rule `evidence_incomplete`.",
    request: { query: CoverageQuery },
    success: { status: 200, description: "The sums of the month's days; none in the future.", body: Coverage },
  },
  getCheckpoint: {
    method: "GET",
    path: "/api/integrations/provider/security/checkpoints/{size}",
    permission: "security:read",
    summary: "Read a signed checkpoint",
    description:
      "Returns the checkpoint of the deployment's log at a size, for witnesses, and with `from` the proof of RFC 9162 that the log of that size has grown from the log of the smaller size.",
    request: { params: CheckpointParams, query: CheckpointQuery },
    success: { status: 200, description: "The checkpoint and the proof.", body: CheckpointWithProof },
    failures: ["checkpoint_not_found"],
  },
});
