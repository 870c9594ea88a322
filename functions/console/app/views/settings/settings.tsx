import { useRef, useState } from "preact/hooks";
import { useCaller } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Settings } from "../../api/types.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { useDraft } from "../../parts/draft.ts";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { notify } from "../../parts/notices.ts";
import { Card, Page } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { linesOf } from "../../words/lines.ts";
import { AllowlistEditor } from "./allowlist-editor.tsx";
import { changesBetween, isSame } from "./changes.ts";
import { containsAddress, lineNotes, MOST_NETWORKS } from "./networks.ts";
import { RecordAccess } from "./record-access.tsx";
import { SaveCard } from "./save-card.tsx";

type SwitchProps = { isOn: boolean; onChange: (isOn: boolean) => void };

/** Left out where the deployment has no feed, unless it is still switched on. */
const SiemFeed = ({ isOn, onChange }: SwitchProps) => {
  const hasFeed = useCaller().deployment.siemFeed;
  if (!hasFeed && !isOn) return null;
  return (
    <Card
      title="Feed for a SIEM"
      note="The security events of each hour are written to a bucket of this deployment, in the format OCSF, within the hour after. Your SIEM reads them there."
    >
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
        Write our events
      </label>
      {!hasFeed && <p class="quiet">This deployment has no bucket for the feed, so nothing is written.</p>}
    </Card>
  );
};

const AccountActivity = ({ isOn, onChange }: SwitchProps) => (
  <Card
    title="Activity of the account"
    note="Every hour the service reads what happened to the account at the provider, such as keys that were made and users who were invited, and keeps it as security events."
  >
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
      Read the account's activity
    </label>
  </Card>
);

const MonthlyDrill = ({ isOn, onChange }: SwitchProps) => (
  <Card
    title="Fire drill"
    note="On the first Monday of each month at 10:00 UTC, a labelled brute force raises an alert that goes to every active destination. Reports say how the last drill ended."
  >
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
      Hold a drill each month
    </label>
  </Card>
);

/** `base`: the settings that the user saw when the changes began. */
type Draft = { base: Settings; networks: string } & Omit<Settings, "ipAllowlist">;

const unchanged = (settings: Settings): Draft => {
  const { ipAllowlist, ...others } = settings;
  return { base: settings, networks: ipAllowlist.join("\n"), ...others };
};

type FormProps = {
  current: Settings;
  /** The user's own address, as the service sees it. */
  ipAddress: string;
  /** Shows settings that were read before the form was sent. */
  onRead: (settings: Settings) => void;
};

const SettingsForm = ({ current, ipAddress, onRead }: FormProps) => {
  const [draft, setDraft] = useDraft<Draft>("settings");
  const [asksLockOut, setAsksLockOut] = useState(false);
  const editor = useRef<HTMLTextAreaElement>(null);
  const shown = draft ?? unchanged(current);
  const { networks, recordAccess, siemFeed, accountActivity, drill } = shown;
  const next: Settings = { ipAllowlist: linesOf(networks), recordAccess, siemFeed, accountActivity, drill };
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
        <AccountActivity isOn={accountActivity} onChange={(isOn) => edit({ accountActivity: isOn })} />
        <MonthlyDrill isOn={drill === "monthly"} onChange={(isOn) => edit({ drill: isOn ? "monthly" : "off" })} />
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
        <Confirm
          title="Save a list without your own address?"
          confirm="Save anyway"
          isDangerous
          action={{ isRunning: save.isRunning, problem: undefined }}
          onConfirm={() => void send()}
          onClose={() => setAsksLockOut(false)}
        >
          <p>
            None of the networks contains your address <code>{ipAddress}</code>. With this list, your next request from
            there is refused, and you cannot undo it from there.
          </p>
          <p>
            The service refuses a list that locks out its author. Save anyway only if your address has changed since
            this page was opened.
          </p>
        </Confirm>
      )}
      <LeaveGuard
        isDirty={draft !== undefined}
        what="Your changes of the settings"
        onLeave={() => setDraft(undefined)}
      />
    </>
  );
};

export const View = () => {
  const settings = useResource("settings", (signal) =>
    answer(api.GET("/api/integrations/provider/settings", { signal })),
  );
  // The address may have changed since the sign-in.
  const me = useResource("me", (signal) => answer(api.GET("/api/integrations/provider/me", { signal })));
  const signedIn = useCaller();
  const { ipAddress } = me.value ?? signedIn;
  return (
    <Page title="Settings" lead="Who may reach this integration, and which records members and guests may read.">
      <Loaded of={settings} what="the settings">
        {(current) => <SettingsForm current={current} ipAddress={ipAddress} onRead={settings.show} />}
      </Loaded>
    </Page>
  );
};
