import { useRef, useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { Settings } from "../../api/types.ts";
import { useDraft } from "../../parts/draft.ts";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { notify } from "../../parts/notices.tsx";
import { AllowlistEditor } from "./allowlist-editor.tsx";
import { changesBetween, isSame } from "./changes.ts";
import { LockOutDialog } from "./lock-out-dialog.tsx";
import { containsAddress, lineNotes, MOST_NETWORKS, networksOf } from "./networks.ts";
import { RecordAccess } from "./record-access.tsx";
import { SaveCard } from "./save-card.tsx";
import { SiemFeed } from "./siem-feed.tsx";

/** `base`: the settings that the user saw when the changes began. */
type Draft = { base: Settings; networks: string } & Pick<Settings, "recordAccess" | "siemFeed">;

const unchanged = (settings: Settings): Draft => ({
  base: settings,
  networks: settings.ipAllowlist.join("\n"),
  recordAccess: settings.recordAccess,
  siemFeed: settings.siemFeed,
});

type Props = {
  current: Settings;
  /** The user's own address, as the service sees it. */
  ipAddress: string;
  /** Shows settings that were read meanwhile. */
  onRead: (settings: Settings) => void;
};

export const SettingsForm = ({ current, ipAddress, onRead }: Props) => {
  const [draft, setDraft] = useDraft<Draft>("settings");
  const [asksLockOut, setAsksLockOut] = useState(false);
  const editor = useRef<HTMLTextAreaElement>(null);
  const shown = draft ?? unchanged(current);
  const { networks, recordAccess, siemFeed } = shown;
  const next: Settings = { ipAllowlist: networksOf(networks), recordAccess, siemFeed };
  const notes = lineNotes(networks);
  const hasErrors = notes.some(({ isError }) => isError) || next.ipAllowlist.length > MOST_NETWORKS;
  const isLockedOut = next.ipAllowlist.length > 0 && !hasErrors && !containsAddress(next.ipAllowlist, ipAddress);

  const save = useAction(async (input: { settings: Settings; base: Settings }) => {
    const path = "/api/integrations/provider/settings";
    const latest = await answer(api.GET(path));
    if (!isSame(latest, input.base)) return { settings: latest, isSaved: false };
    return { settings: await answer(api.PUT(path, { body: input.settings })), isSaved: true };
  });

  const edit = (changes: Partial<Draft>): void => {
    const edited = { ...shown, ...changes };
    const before = unchanged(current);
    const isBack =
      edited.networks === before.networks && isSame({ ...edited, ipAllowlist: [] }, { ...before, ipAllowlist: [] });
    save.clear();
    setDraft(isBack ? undefined : edited);
  };

  const send = async (): Promise<void> => {
    const result = await save.run({ settings: next, base: shown.base });
    setAsksLockOut(false);
    if (result === undefined) return;
    onRead(result.settings);
    if (!result.isSaved) return;
    setDraft(undefined);
    notify("The settings are saved. They apply from the next request on.");
  };

  const submit = (): void => {
    if (hasErrors) editor.current?.focus();
    else if (isLockedOut) setAsksLockOut(true);
    else void send();
  };

  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isRunning) submit();
        }}
      >
        <AllowlistEditor
          editor={editor}
          text={networks}
          notes={notes}
          ipAddress={ipAddress}
          isLockedOut={isLockedOut}
          onChange={(text) => edit({ networks: text })}
        />
        <RecordAccess access={recordAccess} onChange={(access) => edit({ recordAccess: access })} />
        <SiemFeed isOn={siemFeed} onChange={(isOn) => edit({ siemFeed: isOn })} />
        <SaveCard
          changes={changesBetween(current, next)}
          isDirty={draft !== undefined}
          changedByOthers={
            draft !== undefined && !isSame(draft.base, current) ? changesBetween(draft.base, current) : []
          }
          isRunning={save.isRunning}
          problem={save.problem}
          ipAddress={ipAddress}
          onDiscard={() => {
            save.clear();
            setDraft(undefined);
          }}
          onKeep={() => setDraft({ ...shown, base: current })}
        />
      </form>
      {asksLockOut && (
        <LockOutDialog
          ipAddress={ipAddress}
          isRunning={save.isRunning}
          onConfirm={() => void send()}
          onClose={() => setAsksLockOut(false)}
        />
      )}
      <LeaveGuard
        isDirty={draft !== undefined}
        what="Your changes of the settings"
        onLeave={() => setDraft(undefined)}
      />
    </>
  );
};
