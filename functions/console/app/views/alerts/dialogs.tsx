/** What is asked before alerts are resolved or assigned. */
import { useState } from "preact/hooks";
import type { Alert } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { formatNumber } from "../../words/format.ts";

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

export const ResolveDialog = ({ alerts, onClose, onConfirm }: Props & { onConfirm: () => void }) => (
  <Confirm
    title={`Resolve ${formatNumber(alerts.length)} alerts?`}
    confirm={`Resolve ${formatNumber(alerts.length)} alerts`}
    onConfirm={onConfirm}
    onClose={onClose}
  >
    <Named alerts={alerts} />
    <p>A resolved alert cannot be opened again. If its cause occurs again, a new alert is raised.</p>
  </Confirm>
);

/** As the API takes user ids: without spaces and control characters. */
const isUserId = (text: string): boolean => text !== "" && !/[\p{C}\p{Z}]/u.test(text);

type AssignProps = Props & { onAssign: (assignee: string | null) => void };

export const AssignDialog = ({ alerts, onAssign, onClose }: AssignProps) => {
  const [user, setUser] = useState("");
  const [isWrong, setWrong] = useState(false);
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
          hint="As security events show it. The service does not know your users, so check the spelling."
          error={isWrong ? "Enter the user’s id, without spaces." : undefined}
          isId
          maxLength={128}
          value={user}
          onType={(text) => {
            setWrong(false);
            setUser(text);
          }}
        />
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
