/** Places with one thing in them: who changed the connection, the settings or the circuit, and why. */
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { TellChange } from "../connection/tell-change.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { settingsChangedEvent } from "../settings/settings-changed.ts";
import type { SettingsStore } from "../settings/settings-store.ts";
import { type Place, singlePlace } from "./place.ts";
import type { SettingsAuthorStore } from "./settings-author-store.ts";

export type AuthorParts = {
  connections: Pick<ConnectionStore, "read">;
  tellConnectionChange: TellChange;
  settings: Pick<SettingsStore, "readStored" | "forgetChange">;
  authors: Pick<SettingsAuthorStore, "read" | "forget">;
  circuits: Pick<CircuitStore, "read" | "forget">;
  recorder: Pick<Recorder, "record">;
};

/** Who is to be forgotten: a user, by id and in texts, or everybody. */
export type Forgotten = { isNamed(userId: string): boolean; isNamedIn(text: string): boolean };

export const everybody: Forgotten = { isNamed: () => true, isNamedIn: () => true };

/**
 * A change that was not told yet is told first: it is an event that an audit expects, and the sweep of the events, which
 * comes later, takes the person out of it.
 */
const untoldConnectionChange = (parts: AuthorParts, organizationId: string, { isNamed }: Forgotten): Place =>
  singlePlace("connection", async () => {
    const { change } = await parts.connections.read(organizationId);
    if (change?.userId === undefined || !isNamed(change.userId)) return undefined;
    return () => parts.tellConnectionChange(organizationId, change);
  });

const untoldSettingsChange = (
  { settings, recorder }: AuthorParts,
  organizationId: string,
  { isNamed }: Forgotten,
): Place =>
  singlePlace("settingsChange", async () => {
    const { change, version, settings: after } = await settings.readStored(organizationId);
    if (change === undefined || version === undefined || !isNamed(change.userId)) return undefined;
    return async () => {
      const moment = { timestamp: change.at, identity: identityOf("settings", organizationId, version) };
      await recorder.record(settingsChangedEvent(organizationId, change, after), moment);
      await settings.forgetChange(organizationId, version);
    };
  });

const settingsAuthor = ({ authors }: AuthorParts, organizationId: string, { isNamed }: Forgotten): Place =>
  singlePlace("settingsAuthor", async () => {
    const author = await authors.read(organizationId);
    return author === undefined || !isNamed(author) ? undefined : () => authors.forget(organizationId, author);
  });

/** Whoever meets a circuit that changes meanwhile leaves the rest to the next round. */
const circuitAuthors = ({ circuits }: AuthorParts, organizationId: string, forgotten: Forgotten): Place =>
  singlePlace("circuit", async () => {
    const { isNamed, isNamedIn } = forgotten;
    const { starts } = await circuits.read(organizationId);
    const authors = [...new Set(starts.flatMap(({ by }) => (by !== undefined && isNamed(by) ? [by] : [])))];
    const isReason = starts.some(({ reason }) => reason !== undefined && isNamedIn(reason));
    if (authors.length === 0 && !isReason) return undefined;
    return async () => {
      for (const author of authors.length === 0 ? [""] : authors) {
        const circuit = await circuits.read(organizationId);
        const isThere = circuit.starts.some(
          ({ by, reason }) => by === author || (reason !== undefined && isNamedIn(reason)),
        );
        if (isThere) await circuits.forget(organizationId, circuit, author, isNamedIn);
      }
    };
  });

/** Swept before the events, because some leave one. */
export const authorPlaces = (parts: AuthorParts, organizationId: string, forgotten: Forgotten): Place[] => [
  untoldConnectionChange(parts, organizationId, forgotten),
  untoldSettingsChange(parts, organizationId, forgotten),
  settingsAuthor(parts, organizationId, forgotten),
  circuitAuthors(parts, organizationId, forgotten),
];
