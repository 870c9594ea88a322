import { useLocation } from "preact-iso/router";
import { answer, api, once } from "../../api/client.ts";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { Bullets } from "../../parts/page.tsx";
import { everything } from "./export-words.ts";
import { exportAddress } from "./use-exports.ts";

/** Asks, and opens the export. */
export const ExportEverything = () => {
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
