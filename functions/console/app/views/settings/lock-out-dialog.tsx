import { Confirm } from "../../parts/dialog.tsx";

type Props = { ipAddress: string; isRunning: boolean; onConfirm: () => void; onClose: () => void };

export const LockOutDialog = ({ ipAddress, ...rest }: Props) => (
  <Confirm title="Save a list without your own address?" confirm="Save anyway" isDangerous {...rest}>
    <p>
      None of the networks contains your address <code>{ipAddress}</code>. With this list, your next request from there
      is refused, and you cannot undo it from there.
    </p>
    <p>
      The service refuses a list that locks out its author. Save anyway only if your address has changed since this page
      was opened.
    </p>
  </Confirm>
);
