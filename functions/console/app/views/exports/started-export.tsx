/** The dialog that follows an export after its request, and has the links to its files. */
import type { Export } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ExportProgress } from "./export-progress.tsx";
import { titleOf } from "./export-words.ts";
import { exportAddress, useExport } from "./use-exports.ts";

export const StartedExport = ({ export: started, onClose }: { export: Export; onClose: () => void }) => (
  <Dialog title={titleOf(started)} onClose={onClose}>
    <ExportProgress of={useExport(started.id)} known={started} />
    <div class="dialog-actions">
      <a class="button" href={exportAddress(started.id)}>
        Open the export
      </a>
      <Button kind="main" onClick={onClose}>
        Close
      </Button>
    </div>
  </Dialog>
);
