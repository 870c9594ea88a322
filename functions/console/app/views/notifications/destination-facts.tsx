import { useCaller } from "../../access.ts";
import type { Destination } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { RelativeTime, Time, TimeAndAge } from "../../parts/time.tsx";
import { quietInWords, reportNames, rhythmInWords, ruleNames, selectionInWords, types } from "./destination-words.ts";

export const DestinationFacts = ({ destination }: { destination: Destination }) => {
  const { userId } = useCaller();
  const { type, target, filter, reports, lastDeliveredAt, failingSince, pausedAt, oldSecretValidUntil } = destination;
  const { createdAt, createdBy, changedAt, changedBy } = destination;
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
          [
            "Reports",
            reports && reports.length > 0 ? reports.map((one) => reportNames[one] ?? one).join(", ") : undefined,
          ],
          ["Last delivered", lastDeliveredAt === undefined ? "Never" : <TimeAndAge at={lastDeliveredAt} />],
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
