import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { AlertWithHistory, SecurityEvent } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Timeline, TimelineEntry } from "../../parts/timeline.tsx";
import { DrillBadge } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { formatDuration, formatNumber, inWords, type Tone } from "../../words/format.ts";
import { Happened } from "./alert-history.tsx";
import { firstFilterOf, followedFrom, type Kind, type Phase, type StoryEntry, spanOf, storyOf } from "./story.ts";

const MOST_EVENTS = 200;

const tones: Readonly<Record<Kind, Tone>> = {
  refusal: "bad",
  read: "warn",
  change: "accent",
  other: "quiet",
  reaction: "good",
};
const kindNames: Readonly<Record<Kind, string>> = {
  refusal: "Refused",
  read: "Read",
  change: "Changed",
  other: "The service",
  reaction: "Reaction",
};
const phaseNames: Readonly<Record<Phase["name"], string>> = {
  before: "In the hour before",
  during: "While it lasted",
  after: "After it",
};

type Told = { events: readonly SecurityEvent[]; hasMore: boolean };

/** The events of the alert's user or address, and of whom these lead to. They are read again when the alert is raised again. */
const useStory = (alert: AlertWithHistory): Resource<Told> =>
  useResource<Told>(`story ${alert.id} ${alert.count}`, async (signal) => {
    const { since, until } = spanOf(alert);
    const read = (filter: object = {}) =>
      answer(
        api.GET("/api/integrations/provider/security", {
          params: { query: { ...filter, since: String(since), until: String(until), limit: MOST_EVENTS } },
          signal,
        }),
      );
    const filter = firstFilterOf(alert);
    const first = await read(filter);
    const others = await Promise.all(followedFrom(first.events, filter).map(read));
    return {
      events: [first, ...others].flatMap(({ events }) => events),
      hasMore: [first, ...others].some(({ nextCursor }) => nextCursor !== undefined),
    };
  });

const What = ({ entry: { event, reaction, count } }: { entry: StoryEntry }) => {
  if (reaction !== undefined) return <Happened entry={reaction} />;
  if (event === undefined) return null;
  const { id, eventType, userId, ipAddress } = event;
  const who = [userId, ipAddress].filter((one) => one !== undefined).join(" from ");
  return (
    <>
      <a href={eventAddress(id)}>{inWords(eventType)}</a>
      <DrillBadge of={event} />
      {count > 1 && ` ×${formatNumber(count)}`}
      {who !== "" && <span class="quiet"> {who}</span>}
    </>
  );
};

const Entry = ({ entry }: { entry: StoryEntry }) => {
  const { kind, at, until, event } = entry;
  const lasted = until - at;
  return (
    <TimelineEntry
      at={at}
      tone={tones[kind]}
      what={<What entry={entry} />}
      note={lasted < 1_000 ? kindNames[kind] : `${kindNames[kind]}, for ${formatDuration(lasted)}`}
    >
      {event !== undefined && !event.success && event.errorMessage !== undefined && (
        <p class="quiet">{event.errorMessage}</p>
      )}
    </TimelineEntry>
  );
};

export const StoryCard = ({ alert }: { alert: AlertWithHistory }) => {
  const story = useStory(alert);
  return (
    <Card
      title="The story"
      note="Refusals, reads, changes and reactions, from an hour before the alert to an hour after it."
    >
      <Loaded of={story} what="the story">
        {({ events, hasMore }) => (
          <>
            {storyOf(alert, events).map(({ name, entries }) => (
              <section key={name} class="alerts-phase" aria-label={phaseNames[name]}>
                <h3>{phaseNames[name]}</h3>
                <Timeline label={phaseNames[name]}>
                  {entries.map((entry) => (
                    <Entry key={`${entry.at} ${entry.event?.id ?? entry.reaction?.change}`} entry={entry} />
                  ))}
                </Timeline>
              </section>
            ))}
            {hasMore && (
              <p class="quiet">There were more events than the newest {formatNumber(MOST_EVENTS)} of each of them.</p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
};
