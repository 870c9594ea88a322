import { useMay } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Connection, SecurityEvent } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { AskingButton } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { Badge, RelativeTime, Time } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { plural } from "../../words/format.ts";
import { keyWords, reconnectCause, statusOf, statusSentence } from "./connection-words.ts";
import { Disconnect } from "./disconnect.tsx";

const METHODS = { api_key: "API key", oauth: "OAuth: access granted at the provider" } as const;

/** The action of the event that ends a connection. */
const ENDED = "require_reconnect";

const Cause = ({ connection, event }: { connection: Connection; event?: SecurityEvent | undefined }) => (
  <div class="problem serious">
    <p>
      {reconnectCause(connection.method, event?.errorCode)}
      {event !== undefined && (
        <>
          {" "}
          That was <RelativeTime at={event.timestamp} /> (<a href={eventAddress(event.id)}>the event</a>).
        </>
      )}
    </p>
    <p>
      Nothing is synced until the account is connected again below. Records and webhook secrets are kept. If it was not
      you or a colleague, treat it as an incident.
    </p>
  </div>
);

const CauseFromEvents = ({ connection }: { connection: Connection }) => {
  const since = connection.connectedAt ?? 0;
  const events = useResource(`reconnect cause since ${since}`, async (signal) => {
    const query = { eventType: "AUTHENTICATION_FAILURE", riskLevel: "HIGH", since: String(since), limit: 100 } as const;
    return (await answer(api.GET("/api/integrations/provider/security", { params: { query }, signal }))).events;
  });
  return <Cause connection={connection} event={events.value?.find(({ action }) => action === ENDED)} />;
};

/** Why the account must be connected again; the exact cause for those who may see security events. */
const ReconnectCause = ({ connection }: { connection: Connection }) =>
  useMay("security:read") ? <CauseFromEvents connection={connection} /> : <Cause connection={connection} />;

const Explanation = ({ connection }: { connection: Connection }) => {
  const sentence = statusSentence(connection);
  return sentence === undefined ? <ReconnectCause connection={connection} /> : <p>{sentence}</p>;
};

/** The kind of key, and what to do about it. */
const Key = ({ of }: { of: NonNullable<Connection["key"]> }) => (
  <>
    {keyWords(of)}, since <Time at={of.since} />
    {of.advice.map(({ code, text }) => (
      <p key={code}>{text}</p>
    ))}
  </>
);

/** Whether the provider's log of what happened to the account is read. */
const Activity = ({ of: { state, reason, readUntil } }: { of: NonNullable<Connection["accountActivity"]> }) => {
  if (state === "off") return <>Not read: switched off in the settings</>;
  if (state === "not_available") return <>Not shown to this key ({reason}). Nothing else depends on it.</>;
  return readUntil === undefined ? (
    <>Is read within the hour</>
  ) : (
    <>
      Read <RelativeTime at={readUntil} />
    </>
  );
};

const TokenExpiry = ({ at }: { at: number }) => (
  <>{at > useNow() ? <RelativeTime at={at} isDue /> : <Time at={at} />}; it is renewed before.</>
);

type MissingProps = { connection: Connection; onUpdated: (connection: Connection) => void };

/** What the connection lacks at the provider, and the button that has its endpoint send all events. */
const Missing = ({ connection, onUpdated }: MissingProps) => {
  const mayManage = useMay("connection:manage");
  const update = useAction(() => answer(api.PUT("/api/integrations/provider/connection/webhook-endpoint")));
  const { missing, webhookSetup } = connection;
  const nameOf = (name: string): string => {
    const found = webhookSetup?.keyPermissions.find((one) => one.name === name);
    return found === undefined ? name : `${found.resource}: ${found.access}`;
  };
  const submit = async (): Promise<void> => {
    const updated = await update.run(undefined);
    if (updated === undefined) return;
    onUpdated(updated);
    notify("The webhook endpoint sends all events now.");
  };
  return (
    <>
      {(missing?.permissions.length ?? 0) > 0 && (
        <p>Permissions of the key: {missing?.permissions.map(nameOf).join(", ")}. Other records are synced.</p>
      )}
      {(missing?.eventTypes.length ?? 0) > 0 && (
        <>
          <p>Events that the webhook endpoint does not send: {missing?.eventTypes.join(", ")}</p>
          {mayManage && (
            <Button isRunning={update.isRunning} onClick={() => void submit()}>
              Update the webhook endpoint
            </Button>
          )}
          {update.problem !== undefined && <ProblemNote problem={update.problem} />}
        </>
      )}
    </>
  );
};

const lacksSomething = ({ missing }: Connection): boolean =>
  missing !== undefined && missing.permissions.length + missing.eventTypes.length > 0;

type Props = MissingProps & { onDisconnected: () => void };

export const ConnectionStatus = ({ connection, onUpdated, onDisconnected }: Props) => {
  const { status, provider, method, accountId, connectedAt, tokenExpiresAt, lastSyncAt, nextSyncAt } = connection;
  const mayManage = useMay("connection:manage");
  const [tone, word] = statusOf(connection);
  const isConnected = status === "connected";
  return (
    <Card
      title="Status"
      actions={
        mayManage &&
        status !== "disconnected" && (
          <AskingButton kind="danger" name="Disconnect">
            {(close) => (
              <Disconnect
                connection={connection}
                onClose={close}
                onDone={() => {
                  close();
                  onDisconnected();
                }}
              />
            )}
          </AskingButton>
        )
      }
    >
      <p class="connection-status">
        <Badge tone={tone}>{word}</Badge>
      </p>
      <Explanation connection={connection} />
      <Facts
        of={[
          ["Provider", provider.name],
          ["Account", accountId && <code>{accountId}</code>],
          ["Method", method && METHODS[method]],
          ["Key", connection.key && <Key of={connection.key} />],
          ["Missing", lacksSomething(connection) && <Missing connection={connection} onUpdated={onUpdated} />],
          ["Activity of the account", connection.accountActivity && <Activity of={connection.accountActivity} />],
          [
            "Platform events",
            connection.platformEvents === false &&
              "Withheld: the provider has not accepted the key for 24 hours, or others have the account's places",
          ],
          [isConnected ? "Connected since" : "Was connected", connectedAt && <Time at={connectedAt} />],
          ["Access token ends", isConnected && tokenExpiresAt ? <TokenExpiry at={tokenExpiresAt} /> : undefined],
          ["Last sync", lastSyncAt ? <RelativeTime at={lastSyncAt} /> : isConnected ? "None yet" : undefined],
          ["Next sync", nextSyncAt && <RelativeTime at={nextSyncAt} isDue />],
          [
            "Reads this month",
            connection.readsThisMonth && `${plural(connection.readsThisMonth, "request")} to ${provider.name}`,
          ],
        ]}
      />
    </Card>
  );
};
