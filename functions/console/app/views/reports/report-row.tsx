import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import type { ReportEntry } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { AskingButton } from "../../parts/dialog.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/values.tsx";
import { language } from "../../words/format.ts";
import { createLink, download, type Format, formats, openTab } from "./open-report.ts";
import { kinds, periodOf } from "./periods.ts";
import { ReviewDialog } from "./review-dialog.tsx";

type Props = { report: ReportEntry; onReviewed: () => void };

export const ReportRow = ({ report, onReviewed }: Props) => {
  const { id, kind, createdAt, reviewedAt, reviewedBy } = report;
  const mayReview = useMay("security:manage");
  const period = periodOf(report, language);
  /** The link, if the browser blocked the new tab. */
  const [blocked, setBlocked] = useState<string>();
  const link = useAction((_: undefined, key) => createLink(id, key));
  const save = useAction((format: Format) => download(id, format));

  const open = async (): Promise<void> => {
    if (link.isRunning) return;
    const tab = openTab(period);
    const url = await link.run(undefined);
    if (url === undefined) tab?.close();
    else if (tab === undefined) setBlocked(url);
    else tab.show(url);
  };

  const name = `${kinds[kind]}, ${period}`;
  const problem = link.problem ?? save.problem;
  return (
    <li class="reports-row">
      <div class="reports-name">
        <h2>{period}</h2>
        <p class="quiet">
          {kinds[kind]}, made <RelativeTime at={createdAt} />;{" "}
          {reviewedAt === undefined ? (
            "not reviewed yet"
          ) : (
            <>
              reviewed <RelativeTime at={reviewedAt} /> by {reviewedBy ?? "an erased user"}
            </>
          )}
        </p>
      </div>
      <div class="actions">
        <Button isRunning={link.isRunning} aria-label={`Open: ${name}`} onClick={() => void open()}>
          {link.isRunning ? "Opening …" : "Open"}
        </Button>
        {mayReview && reviewedAt === undefined && (
          <AskingButton name="Mark as reviewed" aria-label={`Mark as reviewed: ${name}`}>
            {(close) => (
              <ReviewDialog
                id={id}
                name={name}
                onClose={close}
                onDone={() => {
                  close();
                  onReviewed();
                }}
              />
            )}
          </AskingButton>
        )}
        {(["html", "json"] as const).map((format) => (
          <Button
            key={format}
            kind="link"
            isRunning={save.isRunning}
            aria-label={`Download ${formats[format].name}: ${name}`}
            onClick={() => void save.run(format)}
          >
            Download {formats[format].name}
          </Button>
        ))}
      </div>
      {blocked !== undefined && (
        <p class="reports-blocked" role="alert">
          Your browser has blocked the new tab.{" "}
          <a href={blocked} target="_blank" rel="noopener noreferrer" onClick={() => setBlocked(undefined)}>
            Open the report
          </a>
          . The link works for ten minutes.
        </p>
      )}
      {problem !== undefined && (
        <ProblemNote problem={problem}>
          {problem.status === 404 && <p>The report has expired, or an erasure removed it. Reload the page.</p>}
        </ProblemNote>
      )}
    </li>
  );
};
