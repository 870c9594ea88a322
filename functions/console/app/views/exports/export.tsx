/** One export: its progress, and then its files. */
import { useRoute } from "preact-iso/router";
import { useCaller } from "../../access.ts";
import { Card, Facts, Page } from "../../parts/page.tsx";
import { TimeAndAge } from "../../parts/values.tsx";
import { ExportProgress } from "./export-progress.tsx";
import { selectionOf, titleOf } from "./export-words.ts";
import { LIST, useExport } from "./use-exports.ts";

const Shown = ({ id }: { id: string }) => {
  const { userId } = useCaller();
  const read = useExport(id);
  const { value } = read;
  return (
    <Page title={value === undefined ? "Export" : titleOf(value)} lead={<a href={LIST}>All exports</a>}>
      {value !== undefined && (
        <Card title="The request">
          <Facts
            of={[
              ["Requested by", value.requestedBy === userId ? "You" : value.requestedBy],
              ["Requested", <TimeAndAge at={value.requestedAt} />],
              ["Contains", value.filter && <Selection of={selectionOf(value)} />],
              ["Completed", value.completedAt && <TimeAndAge at={value.completedAt} />],
              ["Export id", <code>{value.id}</code>],
            ]}
          />
        </Card>
      )}
      <Card title="Files">
        <ExportProgress of={read} />
      </Card>
    </Page>
  );
};

const Selection = ({ of }: { of: readonly string[] }) => (
  <ul>
    {of.map((text) => (
      <li key={text}>{text}</li>
    ))}
  </ul>
);

export const View = () => {
  const { id = "" } = useRoute().params;
  return <Shown key={id} id={id} />;
};
