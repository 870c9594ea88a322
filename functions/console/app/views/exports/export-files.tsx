import type { Export } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Table } from "../../parts/table.tsx";
import { Countdown, TimeAndAge } from "../../parts/values.tsx";
import { externalUrl } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { formatBytes, formatNumber } from "../../words/format.ts";

type ExportFile = Export["files"][number];

const MANIFEST = "manifest.json";

/** The manifest first: it says what the others should contain. */
const inOrder = (files: readonly ExportFile[]): ExportFile[] => [
  ...files.filter(({ name }) => name === MANIFEST),
  ...files.filter(({ name }) => name !== MANIFEST),
];

const Download = ({ file: { name, url, urlExpiresAt } }: { file: ExportFile }) => {
  const safe = url === undefined ? undefined : externalUrl(url);
  if (safe === undefined || (urlExpiresAt !== undefined && urlExpiresAt <= useNow())) return null;
  return (
    // In a new tab, where the answer of a link that has ended does no harm.
    <a class="button main" href={safe} target="_blank" rel="noopener noreferrer" aria-label={`Download ${name}`}>
      Download
    </a>
  );
};

/** The files of a complete export, with links for at most 15 minutes. */
export const ExportFiles = ({ of, onRenew }: { of: Export; onRenew: () => void }) => {
  const { files, expiresAt } = of;
  const ends = Math.min(...files.flatMap(({ urlExpiresAt }) => urlExpiresAt ?? []));
  const areOld = ends <= useNow();
  return (
    <>
      <Table
        label="Files"
        class="rows exports-list exports-files"
        rows={inOrder(files)}
        keyOf={({ name }) => name}
        columns={[
          { head: "File", isHead: true, cell: ({ name }) => name },
          { head: "Entries", isNumber: true, cell: ({ count }) => formatNumber(count) },
          { head: "Size", isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
          {
            head: "SHA-256",
            cell: ({ name, sha256 }) => (
              <span>
                <code title={sha256}>{sha256.slice(0, 12)}…</code>{" "}
                <CopyButton text={sha256} what={`The SHA-256 of ${name}`} />
              </span>
            ),
          },
          { head: "Download", isHidden: true, cell: (file) => <Download file={file} /> },
        ]}
      />
      {areOld ? (
        <p>
          The links have ended. <Button onClick={onRenew}>Get new links</Button>
        </p>
      ) : (
        Number.isFinite(ends) && (
          <p class="quiet">
            The links need no sign-in, so do not pass them on. They end in <Countdown to={ends}>a moment</Countdown>.
          </p>
        )
      )}
      {expiresAt !== undefined && (
        <p class="quiet">
          The files are deleted <TimeAndAge at={expiresAt} isDue />.
        </p>
      )}
    </>
  );
};
