import type { Export } from "../../api/types.ts";
import { useNow } from "../../clock.ts";
import { externalUrl } from "../../external-url.ts";
import { formatBytes, formatNumber } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Countdown } from "../../parts/countdown.tsx";
import { TimeAndAge } from "../../parts/time.tsx";

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

/** The files of a complete export, with links for 15 minutes. */
export const ExportFiles = ({ of, onRenew }: { of: Export; onRenew: () => void }) => {
  const { files, expiresAt } = of;
  const ends = Math.min(...files.flatMap(({ urlExpiresAt }) => urlExpiresAt ?? []));
  const areOld = ends <= useNow();
  return (
    <>
      <table class="rows exports-list exports-files" aria-label="Files">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" class="number">
              Entries
            </th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col">SHA-256</th>
            <th scope="col">
              <span class="hidden-text">Download</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {inOrder(files).map((file) => (
            <tr key={file.name}>
              <th scope="row">{file.name}</th>
              <td data-head="Entries" class="number">
                {formatNumber(file.count)}
              </td>
              <td data-head="Size" class="number">
                {formatBytes(file.bytes)}
              </td>
              <td data-head="SHA-256">
                <span>
                  <code title={file.sha256}>{file.sha256.slice(0, 12)}…</code>{" "}
                  <CopyButton text={file.sha256} what={`The SHA-256 of ${file.name}`} />
                </span>
              </td>
              <td>
                <Download file={file} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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
          The files are deleted <TimeAndAge at={expiresAt} />.
        </p>
      )}
    </>
  );
};
