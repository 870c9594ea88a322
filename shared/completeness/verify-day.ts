/** Verifies the stored events of a day, as GET …/security/integrity does. What is wrong alarms the operators. */
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { Integrity } from "../sealing/integrity.ts";
import type { ReadIntegrity } from "../sealing/read-integrity.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";

const isTooLarge = (error: unknown): boolean => error instanceof DomainError && error.code === "invalid_field";

/** The returned function throws DomainError `store_unavailable`. */
export const createVerifyDay = (readIntegrity: ReadIntegrity) => {
  const read = (organizationId: string, since: number, lengthMs: number): Promise<Integrity> =>
    readIntegrity(organizationId, { since, until: since + lengthMs });

  /** The longest span from the day's start that integrity reads; undefined if even its first hour has too many events. */
  const readMost = async (organizationId: string, day: number): Promise<Integrity | undefined> => {
    for (const lengthMs of [DAY_MS, 6 * HOUR_MS, HOUR_MS]) {
      try {
        return await read(organizationId, day, lengthMs);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
      }
    }
    return undefined;
  };

  return async (organizationId: string, day: number): Promise<void> => {
    const { hours = [], log } = (await readMost(organizationId, day)) ?? {};
    if (log === "broken")
      writeLog("error", "The records of an organization are not those that the log counts", {
        alarm: "sealed_log_broken",
        organizationId,
      });
    for (const { hour, status, problem } of hours)
      if (status === "broken")
        writeLog("error", "A sealed hour is not what was sealed", {
          alarm: "sealed_hour_broken",
          organizationId,
          hour,
          cause: problem,
        });
  };
};
