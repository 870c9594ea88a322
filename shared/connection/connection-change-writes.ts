/** What the stores that change a connection share: repeating after a conflict, and the change that awaits its event. */
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import type { ConnectionChange, StoredConnection } from "./connection-item.ts";
import type { ConnectionStore, createConnectionWriter } from "./connection-store.ts";

const MAX_ATTEMPTS = 12;

export const notConnected = (cause?: unknown) =>
  new DomainError("not_connected", "The provider is not connected, or must be connected again.", { cause });

/** A change that an earlier call stored, and whose event it may not have recorded. */
export const leftBehind = ({ change }: StoredConnection): ConnectionChange[] => (change === undefined ? [] : [change]);

/** Reads the connection and attempts a write; repeats both if the connection changes in between. */
export const createRetryOnConflict =
  ({ read }: Pick<ConnectionStore, "read">) =>
  async <Result>(
    organizationId: string,
    attempt: (before: StoredConnection) => Promise<{ result: Result } | undefined>,
  ): Promise<Result> => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const done = await attempt(await read(organizationId));
      if (done !== undefined) return done.result;
      await pauseBeforeRetry(attempts);
    }
    throw new DomainError("store_unavailable", "The connection changes too fast. Try again.");
  };

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
