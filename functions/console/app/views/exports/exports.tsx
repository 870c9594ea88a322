/** The organization's exports: of events, and of everything. */
import { useMay } from "../../access.ts";
import type { Export } from "../../api/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { ExportEverything } from "./export-everything.tsx";
import { selectionOf, sizeOf, statusOf, titleOf } from "./export-words.ts";
import { exportAddress, useExports } from "./use-exports.ts";

const Row = ({ of }: { of: Export }) => {
  const { id, requestedAt, requestedBy, progress, status, expiresAt, error } = of;
  return (
    <tr>
      <th scope="row">
        <a href={exportAddress(id)}>{titleOf(of)}</a>
        {selectionOf(of).map((text) => (
          <p key={text} class="quiet">
            {text}
          </p>
        ))}
      </th>
      <td data-head="Status">
        <div>
          <Badge tone={statusOf(of).tone}>{statusOf(of).name}</Badge>
          {error !== undefined && <p>{error.message}</p>}
          {status === "completed" && expiresAt !== undefined && (
            <p class="quiet">
              deleted <RelativeTime at={expiresAt} />
            </p>
          )}
        </div>
      </td>
      <td data-head="Size">{progress.items > 0 && sizeOf(of)}</td>
      <td data-head="Requested">
        <div>
          <RelativeTime at={requestedAt} />
          <p class="quiet">by {requestedBy}</p>
        </div>
      </td>
    </tr>
  );
};

export const Exports = () => {
  const list = useExports();
  const mayExportAll = useMay("settings:manage");
  return (
    <Page
      title="Exports"
      lead="Files with security events, or with all data of the organization."
      actions={mayExportAll && <ExportEverything />}
    >
      <Loaded
        of={list}
        what="exports"
        isEmpty={(items) => items.length === 0 && !list.older.hasMore}
        empty={
          <Empty title="Nothing has been exported">
            <p>
              An export is listed here as soon as it is requested. Its files are kept for 7 days. To export events,
              choose them in <a href="/console/events">Events</a>, and then “Export …”.
            </p>
          </Empty>
        }
      >
        {(items) => (
          <>
            <table class="rows exports-list" aria-label="Exports">
              <thead>
                <tr>
                  <th scope="col">Export</th>
                  <th scope="col">Status</th>
                  <th scope="col">Size</th>
                  <th scope="col">Requested</th>
                </tr>
              </thead>
              <tbody>
                {items.map((one) => (
                  <Row key={one.id} of={one} />
                ))}
              </tbody>
            </table>
            <LoadMore list={list.older} what="exports" />
          </>
        )}
      </Loaded>
    </Page>
  );
};
