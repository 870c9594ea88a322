/** The organization's exports: of events, and of everything. */
import { useLocation } from "preact-iso/router";
import { useMay } from "../../access.ts";
import { answer, api, once } from "../../api/client.ts";
import type { Export } from "../../api/types.ts";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { Bullets, Page } from "../../parts/page.tsx";
import { Empty, LiveItems } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, RelativeTime } from "../../parts/values.tsx";
import { everything, selectionOf, sizeOf, statusOf, titleOf } from "./export-words.ts";
import { exportAddress, useExports } from "./use-exports.ts";

/** Asks, and opens the export. */
const ExportEverything = () => {
  const { route } = useLocation();
  const start = useConfirmed(
    (_: undefined, key) => answer(api.POST("/api/integrations/provider/export", { params: once(key) })),
    ({ id }) => route(exportAddress(id)),
  );
  return (
    <AskingButton name="Export everything …">
      {(close) => (
        <Confirm
          title="Export everything?"
          confirm="Export everything"
          action={start}
          onConfirm={() => start.confirm(undefined)}
          onClose={() => {
            start.clear();
            close();
          }}
        >
          <p>The service writes all data of the organization to files:</p>
          <Bullets of={everything} />
          <p>
            A manifest says how many entries each file has, and its SHA-256. The files contain personal data. They are
            deleted after 7 days. The export is recorded as a security event with your name.
          </p>
        </Confirm>
      )}
    </AskingButton>
  );
};

const columns: readonly Column<Export>[] = [
  {
    head: "Export",
    isHead: true,
    cell: (one) => (
      <>
        <a href={exportAddress(one.id)}>{titleOf(one)}</a>
        {selectionOf(one).map((text) => (
          <p key={text} class="quiet">
            {text}
          </p>
        ))}
      </>
    ),
  },
  {
    head: "Status",
    cell: (one) => (
      <div>
        <Badge tone={statusOf(one).tone}>{statusOf(one).name}</Badge>
        {one.error !== undefined && <p>{one.error.message}</p>}
        {one.status === "completed" && one.expiresAt !== undefined && (
          <p class="quiet">
            deleted <RelativeTime at={one.expiresAt} />
          </p>
        )}
      </div>
    ),
  },
  { head: "Size", cell: (one) => one.progress.items > 0 && sizeOf(one) },
  {
    head: "Requested",
    cell: ({ requestedAt, requestedBy }) => (
      <div>
        <RelativeTime at={requestedAt} />
        <p class="quiet">by {requestedBy}</p>
      </div>
    ),
  },
];

export const View = () => {
  const list = useExports();
  const mayExportAll = useMay("settings:manage");
  return (
    <Page
      title="Exports"
      lead="Files with security events, or with all data of the organization."
      actions={mayExportAll && <ExportEverything />}
    >
      <LiveItems
        of={list}
        what="exports"
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
          <Table label="Exports" class="rows exports-list" rows={items} keyOf={({ id }) => id} columns={columns} />
        )}
      </LiveItems>
    </Page>
  );
};
