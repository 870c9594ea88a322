/** The list of events with its filters, statistics and live tail. */
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Page, useTitle } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { Loading, LoadMore, ProblemNote, RefreshProblem } from "../../parts/states.tsx";
import { curlOf } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { plural } from "../../words/format.ts";
import { Advice, NothingFound } from "./advice.tsx";
import { EventTable } from "./event-table.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { Chips, FilterFields, Periods } from "./filter-bar.tsx";
import { ListKeys } from "./list-keys.tsx";
import { useMarkProcessed } from "./marked.ts";
import { type Chosen, LIST_PATH, periodOf, queryOf } from "./query.ts";
import { liveOf, targetsOf } from "./selection.ts";
import { Summary } from "./summary.tsx";
import { Tail } from "./tail.tsx";
import { useEventList } from "./use-event-list.ts";

type Props = { chosen: Chosen; isShown: boolean; onChoose: (changes: Chosen) => void };

export const EventList = ({ chosen, isShown, onChoose }: Props) => {
  const events = useEventList(chosen);
  const { list, key, waiting, hasGap } = events;
  const { isRunning, mark } = useMarkProcessed();
  const mayMark = useMay("security:manage");
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const [isOpen, setOpen] = useState(false);
  const [exports, setExports] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  const fieldsId = useId();
  useTitle("Events", isShown);
  useEffect(() => {
    selected.value = new Set();
  }, [key]);

  const { canFollow, isLive } = liveOf(chosen);
  const toggleLive = (): void => onChoose({ live: isLive ? undefined : "on" });
  /** New rows must not move what the user reads, points the keyboard at or has selected. */
  const mayMove = (): boolean =>
    isShown &&
    selected.value.size === 0 &&
    (table.current === null ||
      (table.current.getBoundingClientRect().top >= 0 && !table.current.contains(document.activeElement)));
  const showNew = (): void => {
    events.show();
    table.current?.scrollIntoView({ block: "start" });
  };
  const openFilter = (): void => {
    setOpen(true);
    requestAnimationFrame(() => fields.current?.querySelector("select")?.focus());
  };
  const markNow = (ids: readonly string[]): void => {
    if (isRunning || ids.length === 0) return;
    selected.value = new Set();
    mark(ids);
  };

  const firstPage = list.pages[0];
  const isRefused = list.problem?.status === 400;
  return (
    <Page
      title="Events"
      lead="What happened at the integration: each sync, webhook, call and refusal."
      actions={
        <>
          <Button onClick={() => setExports(true)}>Export …</Button>
          <CopyButton
            text={curlOf(location.origin, LIST_PATH, queryOf(chosen, serviceNow()))}
            what="The request as a curl command"
            label="Copy as curl"
          />
        </>
      }
    >
      <Periods chosen={chosen} onChoose={onChoose}>
        <Button aria-expanded={isOpen} aria-controls={fieldsId} onClick={() => setOpen(!isOpen)}>
          Filter
        </Button>
        <Button onClick={list.reload} isRunning={list.isLoading}>
          Refresh
        </Button>
        <Button
          role="switch"
          aria-checked={isLive}
          disabled={!canFollow}
          title={canFollow ? undefined : "The chosen time has an end, so no new events can come."}
          onClick={toggleLive}
        >
          Live tail
        </Button>
      </Periods>
      {isOpen && <FilterFields id={fieldsId} fields={fields} chosen={chosen} onChoose={onChoose} />}
      <Chips chosen={chosen} onChoose={onChoose} />
      {isShown && <SavedViews path="/console/events" />}

      {list.problem !== undefined &&
        firstPage === undefined &&
        (isRefused ? (
          <Advice problem={list.problem} period={periodOf(chosen)} onChoose={onChoose} />
        ) : (
          <ProblemNote problem={list.problem} onRetry={list.reload} />
        ))}
      {list.problem !== undefined && firstPage !== undefined && (
        <RefreshProblem problem={list.problem} onRetry={list.reload} />
      )}
      {firstPage === undefined && list.problem === undefined && <Loading what="events" />}
      {events.head !== undefined && <Summary {...events.head} interval={events.query.interval} />}
      {isLive && isShown && firstPage !== undefined && !list.isStale && (
        <Tail
          selection={key}
          query={events.query}
          newestAt={events.newestAt}
          onEvents={(newer, gap) => events.add(newer, gap, mayMove())}
          onReport={events.setReport}
        />
      )}
      <div class="events-new" role="status">
        {(waiting > 0 || hasGap) && (
          <Button kind="main" onClick={showNew}>
            {hasGap ? "Many new events" : plural(waiting, "new event")}
          </Button>
        )}
      </div>
      {events.chunks.length > 0 ? (
        <EventTable
          table={table}
          chunks={events.chunks}
          selected={selected}
          mayMark={mayMark}
          isMarking={isRunning}
          isBusy={list.isStale}
          onMark={markNow}
        />
      ) : (
        firstPage !== undefined && <NothingFound chosen={chosen} onChoose={onChoose} />
      )}
      {firstPage !== undefined && <LoadMore list={{ ...list, problem: list.moreProblem }} what="events" />}
      {exports && isShown && <ExportDialog chosen={chosen} onClose={() => setExports(false)} />}
      {isShown && (
        <ListKeys
          table={table}
          onFilter={openFilter}
          onLive={() => canFollow && toggleLive()}
          onMark={mayMark ? (focused) => markNow(targetsOf(selected.value, focused)) : undefined}
        />
      )}
    </Page>
  );
};
