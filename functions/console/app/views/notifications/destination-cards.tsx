import { useCaller } from "../../access.ts";
import type { Destination, NotificationDelivery } from "../../api/types.ts";
import { CopiedId, CopyButton } from "../../parts/copy-button.tsx";
import { Card, Facts } from "../../parts/page.tsx";
import { Badge, RelativeTime, Time, TimeAndAge } from "../../parts/values.tsx";
import { destinationAddress } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { formatRelative, plural } from "../../words/format.ts";
import { levels as allLevels, levelNames } from "../../words/levels.ts";
import { attemptInWords, lastDeliveryOf, stateOf, whyGivenUp } from "./delivery-words.ts";
import { quietInWords, reportNames, rhythmInWords, ruleNames, selectionInWords, types } from "./destination-words.ts";
import { useDestinations } from "./use-destinations.ts";

/** Such as "Critical or high". */
const oneOfLevels = (levels: readonly string[]): string => {
  const text = allLevels
    .filter((level) => levels.includes(level))
    .map((level) => levelNames[level].toLowerCase())
    .join(" or ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const Escalation = ({ of: { escalate } }: { of: Destination }) => {
  const { value } = useDestinations();
  if (escalate === undefined) return <span class="quiet">No</span>;
  const { levels, afterMinutes, to } = escalate;
  const name = value?.find(({ id }) => id === to)?.name;
  return (
    <>
      {oneOfLevels(levels)}, after {plural(afterMinutes, "minute")}: to{" "}
      {name === undefined ? (
        value === undefined ? (
          "…"
        ) : (
          "a destination that was deleted"
        )
      ) : (
        <a href={destinationAddress(to)}>{name}</a>
      )}
    </>
  );
};

type FactsProps = {
  destination: Destination;
  /** The newest ones, which are read more often than the destination. */
  deliveries: readonly NotificationDelivery[];
};

export const DestinationFacts = ({ destination, deliveries }: FactsProps) => {
  const { userId } = useCaller();
  const { type, target, filter, reports, failingSince, pausedAt, oldSecretValidUntil } = destination;
  const { createdAt, createdBy, changedAt, changedBy } = destination;
  const lastDeliveredAt = lastDeliveryOf(destination, deliveries);
  const by = (user: string): string => (user === userId ? "you" : user);
  return (
    <Card title="The destination">
      <Facts
        of={[
          ["Type", types[type].name],
          [types[type].target, <code>{target}</code>],
          ["Gets", selectionInWords(destination)],
          ["Rules", filter.rules && ruleNames(filter.rules)],
          ["Rhythm", rhythmInWords(destination)],
          ["Quiet hours", quietInWords(destination)],
          ["Escalates", <Escalation of={destination} />],
          [
            "Reports",
            reports && reports.length > 0 ? reports.map((one) => reportNames[one] ?? one).join(", ") : undefined,
          ],
          ["Last delivered", lastDeliveredAt === undefined ? "Nothing yet" : <TimeAndAge at={lastDeliveredAt} />],
          ["Failing since", failingSince && <TimeAndAge at={failingSince} />],
          ["Paused", pausedAt && <TimeAndAge at={pausedAt} />],
          [
            "Old secret",
            oldSecretValidUntil && (
              <>
                signs until <Time at={oldSecretValidUntil} />
              </>
            ),
          ],
          [
            "Added",
            <>
              by {by(createdBy)}, <RelativeTime at={createdAt} />
            </>,
          ],
          [
            "Changed",
            changedAt === createdAt ? undefined : (
              <>
                by {by(changedBy)}, <RelativeTime at={changedAt} />
              </>
            ),
          ],
        ]}
      />
    </Card>
  );
};

const VERIFY = `import { Webhook } from "standardwebhooks";

// body: the request's body as text, before it is parsed. Throws if the signature is wrong or older than 5 minutes.
const notification = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);`;

/** @param oldUntil until when the replaced secret signs as well, epoch milliseconds. */
export const SecretCard = ({ secret, oldUntil }: { secret: string; oldUntil: number | undefined }) => (
  <Card title="The secret that signs" note="It is shown only now. Store it where your receiver can read it.">
    <p class="notifications-secret">
      <CopiedId id={secret} what="The secret" />
    </p>
    {oldUntil !== undefined && (
      <p>
        Until <Time at={oldUntil} />, each message is signed with the old secret too, so the receiver may be changed in
        the meantime.
      </p>
    )}
    <p>
      The receiver verifies each message with the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and{" "}
      <code>webhook-signature</code>. There is a{" "}
      <a href="https://www.standardwebhooks.com/" target="_blank" rel="noopener noreferrer">
        library for your language
      </a>
      . For Node.js: <CopyButton text={VERIFY} what="The code that verifies" />
    </p>
    <pre>{VERIFY}</pre>
  </Card>
);

const sentenceOf = ({ status, attempts, error, notBefore }: NotificationDelivery, now: number): string => {
  const last = attempts.at(-1);
  const tried = last === undefined ? "" : attemptInWords(last);
  if (status === "delivered") return `The test message has arrived. ${tried}`;
  if (status === "failed") return `The test message was not delivered. ${tried || (error && whyGivenUp(error)) || ""}`;
  if (last === undefined) return "The test message is on its way …";
  const next = notBefore === undefined || notBefore <= now ? "now" : formatRelative(notBefore, now);
  return `The test message has not arrived yet. ${tried} The next try is ${next}.`;
};

/** What became of the test. It follows the delivery. */
export const TestResult = ({ delivery }: { delivery: NotificationDelivery }) => {
  const { tone, name } = stateOf(delivery);
  const answer = delivery.attempts.at(-1)?.answer;
  return (
    <div class={`notifications-test ${tone}`} role="status">
      <p>
        <Badge tone={tone}>{delivery.status === "pending" && delivery.attempts.length === 0 ? "Sending" : name}</Badge>{" "}
        {sentenceOf(delivery, useNow())}
      </p>
      {answer !== undefined && answer !== "" && (
        <p class="quiet">
          The receiver answered: <code>{answer}</code>
        </p>
      )}
    </div>
  );
};
