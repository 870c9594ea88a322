import { api, page } from "../../api/client.ts";
import { usePagedList } from "../../api/paged-list.ts";
import { Choice } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { Empty, Pages } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { useFilters } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { firstReports, kinds } from "./periods.ts";
import { ReportRow } from "./report-row.tsx";

const PAGE = 50;

const choices = [
  ["", "All reports"],
  ["compliance", "Daily compliance reports"],
  ["review", "Weekly security reviews"],
  ["month", "Monthly reports"],
] as const;

const isKind = (text: string | undefined): text is keyof typeof kinds => text !== undefined && text in kinds;

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
  const list = usePagedList("reports", (after, signal) =>
    page(api.GET("/api/integrations/provider/reports", { params: { query: { limit: PAGE, ...after } }, signal })),
  );
  const shown = list.pages.map((reports) => reports.filter(({ kind }) => chosen === "" || kind === chosen));
  return (
    <Page
      title="Reports"
      lead="What happened each day, what the week looked like, and what an assessor asks of a month. All are those of UTC."
    >
      <div class="filters">
        <Choice label="Show" value={chosen} options={choices} onChoose={(kind) => set({ kind })} />
      </div>
      <SavedViews path="/console/reports" />
      <Pages
        of={{ ...list, pages: shown }}
        what="reports"
        empty={chosen === "" ? <NoReports /> : <Empty title={`There is no ${kinds[chosen].toLowerCase()} yet`} />}
      >
        {(reports) => (
          <>
            <ul class="reports">
              {reports.map((report) => (
                <ReportRow key={report.id} report={report} onReviewed={list.reload} />
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
