/** What must be true of the sealed log and of the archive at the end of a simulation, when all hours are over. */
import { gunzipSync } from "node:zlib";
import { archiveKey } from "../../shared/archive/archive-hour.ts";
import type { Integrity } from "../../shared/sealing/integrity.ts";
import { hourName, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { Problem } from "./invariants.ts";
import type { Operators } from "./operators.ts";
import type { Organization, World } from "./world.ts";

/** The ids and indexes of an hour's object in the archive. */
const archivedIn = ({ bucket }: World, scope: string, hour: number): { id: string; index?: number }[] => {
  const body = bucket.read("archive", archiveKey(scope, hour));
  if (body === undefined) return [];
  const lines = gunzipSync(body).toString().split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
};

/**
 * Each hour since the log's first verifies, has all events that are stored, and its object has them with the index of each
 * leaf once. @throws Problem
 */
export const judgeEvidence = async (world: World, { insist }: Operators, organization: Organization): Promise<void> => {
  const { database, scheduler } = world;
  const scope = organizationKey(organization.id);
  const [start] = database.items("Evidence").flatMap(({ key, start }) => (key === "state" ? [Number(start)] : []));
  if (start === undefined) throw new Problem("The sealed log never begins");
  const until = startOfHour(scheduler.now());
  const path = `/security/integrity?since=${start}&until=${until}`;
  const { log, hours } = (await insist(organization, { method: "GET", path })).body as Integrity;
  if (log !== "consistent") throw new Problem(`${organization.id}: the log is ${log}`);
  for (const { hour, count, status, problem } of hours) {
    const name = `${organization.id}: ${hourName(hour)}`;
    if (status !== "verified") throw new Problem(`${name} is ${status}: ${problem}`);
    const stored = database
      .items("SecurityEvents")
      .filter((event) => event.scope === scope && startOfHour(Number(event.timestamp)) === hour);
    if (count !== stored.length) throw new Problem(`${name} has ${stored.length} events, and ${count} are sealed`);
    const archived = archivedIn(world, scope, hour);
    const ids = (items: readonly { id?: unknown }[]) => items.map(({ id }) => String(id)).sort();
    if (String(ids(archived)) !== String(ids(stored)))
      throw new Problem(`${name} has ${stored.length} events, and ${archived.length} are in the archive`);
    const indexes = archived.map(({ index }) => Number(index)).sort((a, b) => a - b);
    if (indexes.some((index, position) => index !== position))
      throw new Problem(`${name} is archived with other leaves`);
  }
};
