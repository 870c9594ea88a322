/**
 * How the item of a connection is changed: by one conditional write, together with the count of connected organizations
 * and other items where they depend on it. Items: connection-item.ts.
 */
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { getItem, type Table, type Update, updateItem } from "../runtime/table.ts";
import { type TransactItem, transactOnce, updatePart } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import {
  CONNECTED_COUNT_KEY,
  type ConnectionChange,
  parseConnection,
  type StoredConnection,
} from "./connection-item.ts";

/** Transactions conflict at the count of connected organizations and at circuits, but rarely many times in a row. */
const MAX_ATTEMPTS = 12;

/** Attempts until the result is defined, with growing pauses. */
const repeatUntilDone = async <Result>(attempt: () => Promise<Result | undefined>): Promise<Result> => {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const done = await attempt();
    if (done !== undefined) return done;
    await pauseBeforeRetry(attempts);
  }
  throw new DomainError("store_unavailable", "The connection changes too fast. Try again.");
};

/**
 * Every change of an organization's item: conditional, and applied once even if an answer is lost. The returned function
 * resolves to whether this call made the change. One write unit; a counted change costs seven and one read unit, and two
 * more while the circuit is not closed.
 * - `own`: an attribute that the change sets to a new value, which shows that the change is this call's.
 * - `counted`: what the change adds to the count of connected organizations. The same transaction marks the circuit.
 * - `readOthers`: reads what the other parts of the same transaction depend on, and makes them; again for each attempt.
 *
 * It throws DomainError `store_unavailable`, even if other transactions keep getting in the way.
 * @param marks required for counted changes.
 */
export const createConnectionWriter = (table: Table<"connections">, marks?: Pick<ConnectionMarkStore, "mark">) => {
  const countIn = async (organizationId: string, counted: 1 | 0 | -1): Promise<TransactItem[]> => {
    if (counted === 0) return [];
    const count = updatePart(table, { id: CONNECTED_COUNT_KEY }, { add: { n: counted } });
    const mark = await marks?.mark(organizationId, counted > 0);
    return mark === undefined ? [count] : [count, mark];
  };

  /** Undefined if a transaction of another call holds the item. */
  const writeAlone = async (key: { id: string }, update: Update, own: string): Promise<boolean | undefined> => {
    const { written, isHeld } = await updateItem(table, key, { ...update, own, whileHeld: "refuse" });
    return isHeld ? undefined : written;
  };

  /** Undefined if another item of the transaction changed since it was read, or another transaction holds an item. */
  const writeTogether = async (
    key: { id: string },
    update: Update,
    own: string,
    others: readonly TransactItem[],
  ): Promise<boolean | undefined> => {
    const failed = await transactOnce(table, [updatePart(table, key, update), ...others]);
    if (failed?.size === 0) return true;
    // An earlier attempt of this call may have made the change, and only its answer was lost.
    return failed?.has(0) ? failed.get(0)?.[own] === update.set?.[own] : undefined;
  };

  return (
    organizationId: string,
    update: Update,
    own: string,
    counted: 1 | 0 | -1 = 0,
    readOthers?: () => Promise<TransactItem[]>,
  ): Promise<boolean> =>
    repeatUntilDone(async () => {
      const key = { id: organizationKey(organizationId) };
      const others = [...(await countIn(organizationId, counted)), ...((await readOthers?.()) ?? [])];
      return others.length === 0 ? writeAlone(key, update, own) : writeTogether(key, update, own, others);
    });
};

/** Reads the connection and attempts a write; repeats both if the connection changes in between. */
export const createRetryOnConflict =
  (table: Table<"connections">) =>
  async <Result>(
    organizationId: string,
    attempt: (before: StoredConnection) => Promise<{ result: Result } | undefined>,
  ): Promise<Result> => {
    const { result } = await repeatUntilDone(async () =>
      attempt(parseConnection(await getItem(table, { id: organizationKey(organizationId) }))),
    );
    return result;
  };

export const notConnected = (cause?: unknown) =>
  new DomainError("not_connected", "The provider is not connected, or must be connected again.", { cause });

/** A change that an earlier call stored, and whose event it may not have recorded. */
export const leftBehind = ({ change }: StoredConnection): ConnectionChange[] => (change === undefined ? [] : [change]);

/** Removes a change whose event is recorded, unless a later change replaced it. One write unit. */
export type ForgetChange = (organizationId: string, change: ConnectionChange) => Promise<void>;

export const createForgetChange =
  (write: ReturnType<typeof createConnectionWriter>): ForgetChange =>
  async (organizationId, { connectionId, eventType, version }) => {
    const isSame = "#change.#connectionId = :id AND #change.#eventType = :type";
    const update = {
      set: { token: newRequestToken() },
      remove: ["change"],
      condition: version === undefined ? isSame : `${isSame} AND #change.#version = :version`,
      values: { id: connectionId, type: eventType, ...definedFields({ version }) },
    };
    await write(organizationId, update, "token");
  };
