import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { everything } from "./export-words.ts";
import { exportAddress } from "./use-exports.ts";

/** Asks, and opens the export. */
export const ExportEverything = () => {
  const { route } = useLocation();
  const [asks, setAsks] = useState(false);
  const start = useAction((_: undefined, key) =>
    answer(api.POST("/api/integrations/provider/export", { params: { header: { "Idempotency-Key": key } } })),
  );
  const send = async (): Promise<void> => {
    const started = await start.run(undefined);
    if (started !== undefined) route(exportAddress(started.id));
  };
  return (
    <>
      <Button onClick={() => setAsks(true)}>Export everything …</Button>
      {asks && (
        <Confirm
          title="Export everything?"
          confirm="Export everything"
          isRunning={start.isRunning}
          problem={start.problem}
          onConfirm={() => void send()}
          onClose={() => {
            start.clear();
            setAsks(false);
          }}
        >
          <p>The service writes all data of the organization to files:</p>
          <ul class="exports-contents">
            {everything.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
          <p>
            A manifest says how many entries each file has, and its SHA-256. The files contain personal data. They are
            deleted after 7 days. The export is recorded as a security event with your name.
          </p>
        </Confirm>
      )}
    </>
  );
};
