/** The marks of hours that are to be sealed, in a deployed function. */
import { systemClock } from "../runtime/clock.ts";
import { openTable } from "../runtime/open-table.ts";
import { createDueSealStore } from "../sealing/due-seal-store.ts";

/** @throws Error at cold start if the environment lacks a variable. */
export const wireDueSealStore = () => createDueSealStore(openTable("securityRollups"), systemClock);
