/**
 * The worker of mutes. A mute is due when its creation or end was not recorded, when a weekly span has ended, and when it
 * has ended itself. All steps may be repeated; the mute stays due until the last one.
 */
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import type { ResolveMuteAlert } from "./end-mute.ts";
import type { RecordMuteChange } from "./mute-events.ts";
import type { MuteItem } from "./mute-item.ts";
import type { MuteRef, MuteStore } from "./mute-store.ts";
import { lastEnd, nextEnd, stateOf } from "./mute-times.ts";

type Dependencies = {
  mutes: Pick<MuteStore, "read" | "listDue" | "noteEnd" | "noteDrained">;
  recordChange: RecordMuteChange;
  resolveAlert: ResolveMuteAlert;
  /** Sends what the mute has hidden. @returns whether all of it is sent (notifications/release-hidden.ts). */
  release(organizationId: string, mute: MuteItem, end: { at: number; isOver: boolean }): Promise<boolean>;
  now: Clock;
};

/** Works on a mute that may be due. @returns whether it is done for now. @throws DomainError or Error: try again. */
const createWorkOnMute =
  ({
    mutes,
    recordChange,
    resolveAlert,
    release,
    now,
  }: Omit<Dependencies, "mutes"> & { mutes: Omit<Dependencies["mutes"], "listDue"> }) =>
  async ({ organizationId, id }: MuteRef): Promise<boolean> => {
    const time = now();
    const mute = await mutes.read(organizationId, id, time);
    if (mute === undefined) return true;
    await recordChange(organizationId, mute);
    const isOver = stateOf(mute, time) === "ended";
    const end = lastEnd(mute, time);
    if (end !== undefined) {
      // Before the hidden alerts are read: from then on nothing more is hidden in the span.
      const change = isOver && mute.endedAt === undefined ? ({ action: "end_mute", at: end } as const) : undefined;
      await mutes.noteEnd(organizationId, id, { until: end, change });
      if (change !== undefined) await recordChange(organizationId, { ...mute, endedAt: end, change });
      if (isOver) await resolveAlert(organizationId, mute);
      if (!(await release(organizationId, mute, { at: end, isOver }))) return false;
    }
    await mutes.noteDrained(organizationId, id, isOver ? undefined : nextEnd(mute, Math.max(time, end ?? 0)));
    return true;
  };

const MUTES_AT_ONCE = 8;
/** For the mutes that are begun, and the answer. */
const RESERVED_MS = 20_000;

/**
 * Works on all due mutes, the longest due first, as long as there is time. A mute with much to send gives way to the others
 * after each turn. @throws Error if work on a mute failed, after all others were worked on.
 */
export const createEndDueMutes = (dependencies: Dependencies) => {
  const { mutes, now } = dependencies;
  const work = createWorkOnMute(dependencies);
  return async (remainingMs: () => number): Promise<{ done: number; turns: number }> => {
    const finished = new Set<string>();
    let [turns, failures] = [0, 0];
    const workOn = async (ref: MuteRef): Promise<void> => {
      const name = `${ref.organizationId} ${ref.id}`;
      if (finished.has(name) || remainingMs() < RESERVED_MS) return;
      turns++;
      try {
        if (await work(ref)) finished.add(name);
      } catch (error) {
        failures++;
        finished.add(name);
        writeLog("error", "Working on a mute failed; it stays due", { muteId: ref.id, cause: String(error) });
      }
    };
    while (remainingMs() >= RESERVED_MS) {
      const before = turns;
      await inParallel(await mutes.listDue(now() + 1), MUTES_AT_ONCE, workOn);
      if (turns === before) break;
    }
    if (failures > 0) throw new Error(`Working on ${failures} mutes failed.`);
    return { done: finished.size, turns };
  };
};
