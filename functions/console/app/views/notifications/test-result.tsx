import type { NotificationDelivery } from "../../api/types.ts";
import { useNow } from "../../clock.ts";
import { formatRelative } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { attemptInWords, stateOf, whyGivenUp } from "./delivery-words.ts";

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
