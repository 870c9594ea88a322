/** An export from the request to its files. It follows the export. */
import type { Resource } from "../../api/resource.ts";
import type { Export } from "../../api/types.ts";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Badge, TimeAndAge } from "../../parts/values.tsx";
import { ExportFiles } from "./export-files.tsx";
import { sizeOf, statusOf } from "./export-words.ts";

const sentenceOf = (shown: Export) => {
  const { status, error, expiresAt, proof } = shown;
  switch (status) {
    case "requested":
      return proof === true
        ? "It begins within seconds, or as soon as late events and erasures of its hours are sealed."
        : "It begins within seconds.";
    case "running":
      return `${sizeOf(shown)} so far. It goes on when you close this page.`;
    case "completed":
      return `${sizeOf(shown)}.`;
    case "failed":
      return error?.message ?? "It failed. Request it again.";
    case "deleted":
      return expiresAt === undefined ? (
        "Its files are deleted."
      ) : (
        <>
          Its files were deleted <TimeAndAge at={expiresAt} />.
        </>
      );
  }
};

type Props = {
  of: Resource<Export>;
  /** What is known before the first answer. */
  known?: Export;
};

export const ExportProgress = ({ of: { value, problem, reload }, known }: Props) =>
  problem?.status === 404 ? (
    <Empty title="There is no such export">
      <p>Exports are listed for 30 days after their request. Or the address is mistyped.</p>
    </Empty>
  ) : (
    <Loaded of={{ value: value ?? known, problem, reload }} what="the export">
      {(shown) => (
        <>
          <p class="exports-state" role="status">
            <Badge tone={statusOf(shown).tone}>{statusOf(shown).name}</Badge> {sentenceOf(shown)}
          </p>
          {shown.status === "completed" && <ExportFiles of={shown} onRenew={reload} />}
        </>
      )}
    </Loaded>
  );
