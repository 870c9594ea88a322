/** What an erasure does to settings: they stay, and lose the author of their last change. */
import * as z from "zod/mini";
import { getItem, type Table, updateItem } from "../runtime/table.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { organizationKey } from "../terms/keys.ts";
import { type DataLocation, type ErasedAuthors, NO_AUTHOR, singleLocation } from "../work/location.ts";
import { settingsChangedEvent } from "./change-settings.ts";
import type { SettingsStore } from "./settings-store.ts";

const SettingsItem = z.object({ changedBy: z.string() });

/** The last author of an organization's settings (settings-store.ts). Both throw DomainError `store_unavailable`. */
export const createSettingsAuthorStore = (table: Table<"settings">) => ({
  /** Undefined if the settings were never changed, or the author was erased. One read unit per 4 KB. */
  async read(organizationId: string): Promise<string | undefined> {
    const item = await getItem(table, { id: organizationKey(organizationId) }, { attributes: ["changedBy"] });
    const changedBy = item && SettingsItem.parse(item).changedBy;
    return changedBy === NO_AUTHOR ? undefined : changedBy;
  },

  /** Removes an author, unless another user has changed the settings since. One write unit per KB. */
  async forget(organizationId: string, author: string): Promise<void> {
    await updateItem(
      table,
      { id: organizationKey(organizationId) },
      { set: { changedBy: NO_AUTHOR }, condition: "#changedBy = :author", values: { author } },
    );
  },
});

export type SettingsDependencies = {
  settings: Pick<SettingsStore, "readStored" | "forgetChange">;
  authors: ReturnType<typeof createSettingsAuthorStore>;
  recorder: Pick<Recorder, "record">;
};

/** An unrecorded change is recorded as an event first, because audits expect it. The later sweep of the events cleans it. */
export const settingsAuthors = (
  { settings, authors, recorder }: SettingsDependencies,
  organizationId: string,
  { isErased }: ErasedAuthors,
): DataLocation[] => [
  singleLocation("settingsChange", async () => {
    const { change, version, settings: after } = await settings.readStored(organizationId);
    if (change === undefined || version === undefined || !isErased(change.userId)) return undefined;
    return async () => {
      const moment = { timestamp: change.at, identity: identityOf("settings", organizationId, version) };
      await recorder.record(settingsChangedEvent(organizationId, change, after), moment);
      await settings.forgetChange(organizationId, version);
    };
  }),

  singleLocation("settingsAuthor", async () => {
    const author = await authors.read(organizationId);
    return author === undefined || !isErased(author) ? undefined : () => authors.forget(organizationId, author);
  }),
];
