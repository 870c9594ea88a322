/** Pausing, resuming, rolling the secret, deleting. */
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../../api/client.ts";
import type { Destination, DestinationChangeRequest, DestinationWithSecret } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { notify, useNotifiedAction } from "../../parts/notices.ts";
import { unchanged } from "./draft.ts";
import { API, LIST, putDestination, readDestination } from "./use-destinations.ts";

type Asks = "pause" | "resume" | "roll" | "delete";

type Props = { destination: Destination; onChanged: (destination: DestinationWithSecret) => void };

type DialogProps = Props & { onClose: () => void };

const CHANGES = {
  pause: {
    title: "Pause this destination?",
    confirm: "Pause",
    done: "The destination is paused.",
    request: { status: "paused" },
    text: "Nothing is sent to it until it is resumed. Alerts of the time in between are not sent later; they are in the list of alerts.",
  },
  resume: {
    title: "Resume this destination?",
    confirm: "Resume",
    done: "The destination is active again.",
    request: { status: "active" },
    text: "Alerts are sent to it from now on. Those of the pause are not; failed deliveries can be sent again one by one.",
  },
  roll: {
    title: "Roll the secret?",
    confirm: "Roll the secret",
    done: "The new secret is shown once.",
    request: { rollSecret: true },
    text: "A new secret is shown once. For 24 hours, each message is signed with both, so that nothing is refused until the receiver knows the new one.",
  },
} as const satisfies Record<
  string,
  { title: string; confirm: string; done: string; request: Partial<DestinationChangeRequest>; text: string }
>;

type ChangeProps = DialogProps & { what: keyof typeof CHANGES };

const ChangeDialog = ({ destination: { id }, what, onChanged, onClose }: ChangeProps) => {
  const { title, confirm, done, request, text } = CHANGES[what];
  const change = useConfirmed(
    // Others may have changed it, and a change replaces all fields.
    async (_: undefined) => putDestination(id, { ...unchanged(await readDestination(id)), ...request }),
    (changed) => {
      onChanged(changed);
      notify(done);
      onClose();
    },
  );
  return (
    <Confirm
      title={title}
      confirm={confirm}
      action={change}
      onConfirm={() => change.confirm(undefined)}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  );
};

const DeleteDialog = ({ destination: { id, name }, onClose }: Omit<DialogProps, "onChanged">) => {
  const { route } = useLocation();
  const remove = useConfirmed(
    (_: undefined) => answer(api.DELETE(`${API}/{id}`, { params: { path: { id } } })),
    () => {
      notify(`${name} is deleted.`);
      route(LIST);
    },
  );
  return (
    <Confirm
      title={`Delete ${name}?`}
      confirm="Delete"
      isDangerous
      action={remove}
      onConfirm={() => remove.confirm(undefined)}
      onClose={onClose}
    >
      <p>
        Nothing is sent to it any more, not even what waits. Its deliveries disappear with it. This cannot be undone.
      </p>
    </Confirm>
  );
};

/** An unconfirmed address that is set again gets a new link. */
const SendLink = ({ destination: { id, target }, onChanged }: Props) => {
  const send = useNotifiedAction("The link was not sent.", async () => {
    onChanged(await putDestination(id, { ...unchanged(await readDestination(id)), address: target }));
    // Within a minute of the last link the answer does not say whether another one was sent; later it is refused for a day.
    notify(`A message with a link was sent to ${target}. Another one can follow after 24 hours.`);
  });
  return (
    <Button isRunning={send.isRunning} onClick={() => void send.run(undefined)}>
      Send the link again
    </Button>
  );
};

export const Actions = ({ destination, onChanged }: Props) => {
  const [asks, setAsks] = useState<Asks>();
  const { status, type } = destination;
  const close = (): void => setAsks(undefined);
  return (
    <>
      {status === "unconfirmed" && <SendLink destination={destination} onChanged={onChanged} />}
      {status === "active" && <Button onClick={() => setAsks("pause")}>Pause</Button>}
      {status === "paused" && <Button onClick={() => setAsks("resume")}>Resume</Button>}
      {type === "webhook" && <Button onClick={() => setAsks("roll")}>Roll the secret</Button>}
      <Button kind="danger" onClick={() => setAsks("delete")}>
        Delete
      </Button>
      {asks === "delete" && <DeleteDialog destination={destination} onClose={close} />}
      {asks !== undefined && asks !== "delete" && (
        <ChangeDialog destination={destination} what={asks} onChanged={onChanged} onClose={close} />
      )}
    </>
  );
};
