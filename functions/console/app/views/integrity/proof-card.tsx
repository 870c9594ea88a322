/** How somebody else checks the evidence: an export with proof, the program that checks it, and the key. */
import { useState } from "preact/hooks";
import { answer, api, once } from "../../api/client.ts";
import type { Export, Integrity } from "../../api/types.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { Card } from "../../parts/page.tsx";
import { Time } from "../../parts/values.tsx";
import { plural } from "../../words/format.ts";
import { StartedExport } from "../exports/started-export.tsx";
import { API as EXPORTS } from "../exports/use-exports.ts";
import { sealedSpanOf } from "./integrity-words.ts";
import type { Span } from "./span.ts";

const HOUR = 3_600_000;

const ProofDialog = ({ span, onClose }: { span: Span; onClose: () => void }) => {
  const [started, setStarted] = useState<Export>();
  const start = useConfirmed(
    (hours: Span, key) =>
      answer(
        api.POST(EXPORTS, {
          params: once(key),
          body: { format: "ndjson", proof: true, since: hours.since, until: hours.until },
        }),
      ),
    setStarted,
  );
  if (started !== undefined) return <StartedExport export={started} onClose={onClose} />;
  return (
    <Confirm
      title="Export events with proof"
      confirm={start.isRunning ? "Starting …" : "Start the export"}
      action={start}
      onConfirm={() => start.confirm(span)}
      onClose={onClose}
    >
      <p>
        All sealed events from <Time at={span.since} /> to <Time at={span.until} />, that is{" "}
        {plural((span.until - span.since) / HOUR, "hour")}, as NDJSON, with the files that prove them.
      </p>
      <p class="quiet">
        The export waits while late events or erasures of these hours are not sealed. It is recorded as a security event
        with your name. Its files are kept for 7 days.
      </p>
    </Confirm>
  );
};

export const ProofCard = ({ integrity: { hours, publicKey } }: { integrity: Integrity }) => {
  const span = sealedSpanOf(hours);
  return (
    <Card
      title="Check it yourself"
      note="Download an export with proof into a folder, and check it there, without this service."
      actions={
        span !== undefined && (
          <AskingButton name="Export with proof …">
            {(close) => <ProofDialog span={span} onClose={close} />}
          </AskingButton>
        )
      }
    >
      {span === undefined && <p>No hour of this period is sealed, so there is nothing to prove yet.</p>}
      <p>
        <a href="/verify.mjs" download="verify.mjs">
          Download verify.mjs
        </a>
        , a program for Node 20 or later, and run:
      </p>
      <p>
        <code>node verify.mjs FOLDER --key KEY</code>
      </p>
      <p>
        The folder has a key file, too. Keep the key from here elsewhere: whoever can replace all files can replace that
        file as well.
      </p>
      {publicKey !== "" && (
        <>
          <h3>Public key</h3>
          {publicKey.split("\n").map((line) => (
            <p key={line}>
              <code>{line}</code> <CopyButton text={line} what="The public key" />
            </p>
          ))}
        </>
      )}
    </Card>
  );
};
