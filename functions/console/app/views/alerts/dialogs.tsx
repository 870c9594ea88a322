/** What is asked before alerts are resolved or assigned. */
import { useId, useState } from "preact/hooks";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Alert } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { formatNumber } from "../../words/format.ts";
import { type Cause, causeOptions } from "./words.ts";

const MOST_NAMED = 5;

const Named = ({ alerts }: { alerts: readonly Alert[] }) => (
  <ul class="bullets">
    {alerts.slice(0, MOST_NAMED).map(({ id, title }) => (
      <li key={id}>{title}</li>
    ))}
    {alerts.length > MOST_NAMED && <li>and {formatNumber(alerts.length - MOST_NAMED)} more</li>}
  </ul>
);

type Props = { alerts: readonly Alert[]; onClose: () => void };

export const ResolveDialog = ({ alerts, onClose, onConfirm }: Props & { onConfirm: (cause: Cause | "") => void }) => {
  const [cause, setCause] = useState<Cause | "">("");
  return (
    <Confirm
      title={`Resolve ${formatNumber(alerts.length)} alerts?`}
      confirm={`Resolve ${formatNumber(alerts.length)} alerts`}
      onConfirm={() => onConfirm(cause)}
      onClose={onClose}
    >
      <Named alerts={alerts} />
      <Choice label="Resolve as" value={cause} options={causeOptions} onChoose={setCause} />
      <p>Reports count the causes. If it occurs again, a new alert is raised.</p>
    </Confirm>
  );
};

/** Of the newest events. */
const MOST_EVENTS = 200;

/** Users whom the newest events name. */
const useKnownUsers = (): readonly string[] => {
  const events = useResource("users of the newest events", async (signal) => {
    const query = { source: "user", limit: MOST_EVENTS } as const;
    return (await answer(api.GET("/api/integrations/provider/security", { params: { query }, signal }))).events;
  });
  return [...new Set((events.value ?? []).flatMap(({ userId }) => userId ?? []))].sort();
};

/** As the API takes user ids: without spaces and control characters. */
const isUserId = (text: string): boolean => text !== "" && !/[\p{C}\p{Z}]/u.test(text);

type AssignProps = Props & { onAssign: (assignee: string | null) => void };

export const AssignDialog = ({ alerts, onAssign, onClose }: AssignProps) => {
  const [user, setUser] = useState("");
  const [isWrong, setWrong] = useState(false);
  const users = useKnownUsers();
  const known = useId();
  const isAssigned = alerts.some(({ assignee }) => assignee !== undefined);
  return (
    <Dialog
      title={alerts.length === 1 ? "Assign the alert" : `Assign ${formatNumber(alerts.length)} alerts`}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isUserId(user.trim())) onAssign(user.trim());
          else setWrong(true);
        }}
      >
        <Named alerts={alerts} />
        <TextField
          label="User id"
          hint="Users of the newest events are offered. The service knows no others, so check the spelling."
          error={isWrong ? "Enter the user’s id, without spaces." : undefined}
          isId
          list={known}
          maxLength={128}
          value={user}
          onType={(text) => {
            setWrong(false);
            setUser(text);
          }}
        />
        <datalist id={known}>
          {users.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          {isAssigned && <Button onClick={() => onAssign(null)}>Take the assignment away</Button>}
          <Button type="submit" kind="main">
            Assign
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
