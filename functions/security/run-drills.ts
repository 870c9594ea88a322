/** Carries out a fire drill that a bus event names; every four minutes all that have not ended, and monthly ones. docs/drills.md. */
import { DrillRun } from "../../shared/drills/drill-events.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireRunDrills } from "../../shared/wiring/drills.ts";

const runDrills = wireRunDrills();

export const handler = createBusHandler("run-drills", DrillRun, (detail, { remainingMs }) =>
  runDrills(detail, remainingMs),
);
