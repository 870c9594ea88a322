import { useState } from "preact/hooks";
import { api, page } from "../../api/client.ts";
import { usePagedList } from "../../api/paged-list.ts";
import { Choice } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.ts";
import { Page } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { Empty, Pages } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { useFilters } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { firstReports, kinds } from "./periods.ts";
import { ReportRow } from "./report-row.tsx";
import { Unreviewed } from "./unreviewed.tsx";

const PAGE = 50;

const choices = [
  ["", "All reports"],
  ["compliance", "Daily compliance reports"],
  ["review", "Weekly security reviews"],
  ["month", "Monthly reports"],
] as const;

const reviews = [
  ["", "Reviewed or not"],
  ["false", "Not reviewed"],
  ["true", "Reviewed"],
] as const;

const isKind = (text: string | undefined): text is keyof typeof kinds => text !== undefined && text in kinds;

const isTruth = (text: string | undefined): text is "true" | "false" => text === "true" || text === "false";

/** Such as "There is no monthly report that nobody has reviewed". */
const noneOf = (kind: keyof typeof kinds | "", reviewed: "true" | "false" | ""): string => {
  const name = kind === "" ? "report" : kinds[kind].toLowerCase();
  if (reviewed === "") return `There is no ${name} yet`;
  return `There is no ${name} that ${reviewed === "true" ? "somebody" : "nobody"} has reviewed`;
};

const NoReports = () => {
  const { daily, weekly } = firstReports(serviceNow());
  return (
    <Empty title="There are no reports yet">
      <p>
        The service makes a compliance report for each UTC day and a security review for each week, if anything happened
        in the integration. If it is in use today, the first compliance report is here by <Time at={daily} />, and the
        first review by <Time at={weekly} />.
      </p>
    </Empty>
  );
};

export const View = () => {
  const { filters, set } = useFilters();
  const chosen = isKind(filters.kind) ? filters.kind : "";
  const reviewed = isTruth(filters.reviewed) ? filters.reviewed : "";
  /** How often the user has reviewed a report here. */
  const [reviewedHere, setReviewedHere] = useState(0);
  const list = usePagedList(`reports ${reviewed}`, (after, signal) => {
    const query = { limit: PAGE, ...(reviewed === "" ? {} : { reviewed }), ...after };
    return page(api.GET("/api/integrations/provider/reports", { params: { query }, signal }));
  });
  const onReviewed = (): void => {
    notify("The report is marked as reviewed.");
    setReviewedHere((before) => before + 1);
    list.reload();
  };
  const shown = list.pages.map((reports) => reports.filter(({ kind }) => chosen === "" || kind === chosen));
  const empty = chosen === "" && reviewed === "" ? <NoReports /> : <Empty title={noneOf(chosen, reviewed)} />;
  return (
    <Page
      title="Reports"
      lead="What happened each day, what the week looked like, and what an assessor asks of a month. All are those of UTC."
    >
      <div class="filters">
        <Choice label="Show" value={chosen} options={choices} onChoose={(kind) => set({ kind })} />
        <Choice label="Review" value={reviewed} options={reviews} onChoose={(choice) => set({ reviewed: choice })} />
      </div>
      <SavedViews path="/console/reports" />
      <Unreviewed key={reviewedHere} />
      <Pages of={{ ...list, pages: shown }} what="reports" empty={empty}>
        {(reports) => (
          <>
            <ul class="reports">
              {reports.map((report) => (
                <ReportRow key={report.id} report={report} onReviewed={onReviewed} />
              ))}
            </ul>
            <p class="quiet">
              To print a report or to save it as PDF, open it and use your browser’s Print (<kbd>Ctrl P</kbd> or{" "}
              <kbd>⌘ P</kbd>). It is laid out for A4.
            </p>
          </>
        )}
      </Pages>
    </Page>
  );
};
