/** Whether the stored events of a period are those that were sealed, and how an assessor checks it. */
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Integrity } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Page, PeriodSwitch } from "../../parts/page.tsx";
import { Loaded, ProblemNote } from "../../parts/states.tsx";
import { TimesFilter } from "../../parts/times-filter.tsx";
import { useFilters } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { CoverageCard } from "./coverage-card.tsx";
import { HoursCard } from "./hours-card.tsx";
import { ProofCard } from "./proof-card.tsx";
import { type Chosen, periodOf, periods, spanOf } from "./span.ts";

/** Reads only when the user asks: each answer is computed from all events of the period. */
const useIntegrity = (chosen: Chosen) =>
  useResource<Integrity>(`integrity ${JSON.stringify([periodOf(chosen), chosen.since, chosen.until])}`, (signal) => {
    const { since, until } = spanOf(chosen, serviceNow());
    const query = { since: String(since), until: String(until) };
    return answer(api.GET("/api/integrations/provider/security/integrity", { params: { query }, signal }));
  });

type ChoiceProps = { chosen: Chosen; onChoose: (changes: Chosen) => void };

const PeriodChoice = ({ chosen, onChoose }: ChoiceProps) => {
  const period = periodOf(chosen);
  const chooseTimes = (): void => {
    const { since, until } = spanOf(chosen, serviceNow());
    onChoose({ period: undefined, since: new Date(since).toISOString(), until: new Date(until).toISOString() });
  };
  return (
    <>
      <div class="events-bar">
        <PeriodSwitch
          periods={periods}
          chosen={period}
          onChoose={(name) => onChoose({ period: name, since: undefined, until: undefined })}
        >
          <Button aria-pressed={period === undefined} onClick={chooseTimes}>
            From – to
          </Button>
        </PeriodSwitch>
      </div>
      {period === undefined && <TimesFilter chosen={chosen} onChoose={onChoose} />}
    </>
  );
};

export const View = () => {
  const { filters, set } = useFilters();
  const integrity = useIntegrity(filters);
  const { problem, reload, isLoading } = integrity;
  return (
    <Page
      title="Integrity"
      lead="Whether the stored security events are those that were sealed, hour by hour, computed again now."
      actions={
        <Button isRunning={isLoading} onClick={reload}>
          {isLoading ? "Checking …" : "Check again"}
        </Button>
      }
    >
      <PeriodChoice chosen={filters} onChoose={set} />
      {problem?.status === 400 ? (
        <ProblemNote problem={problem}>
          <p>Choose other times: whole hours, at most 31 days with at most 50,000 events.</p>
        </ProblemNote>
      ) : (
        <Loaded of={integrity} what="the hours">
          {(found) => (
            <>
              <HoursCard integrity={found} />
              <ProofCard integrity={found} />
            </>
          )}
        </Loaded>
      )}
      <CoverageCard month={filters.month} onChoose={(month) => set({ month })} />
    </Page>
  );
};
