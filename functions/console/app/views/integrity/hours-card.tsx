/** The hours of a period by their status, those that are not verified one by one, and what was erased. */
import { useMay } from "../../access.ts";
import type { Integrity } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, Id, ShortTime } from "../../parts/values.tsx";
import { addressBelow } from "../../words/address.ts";
import { formatNumber, plural } from "../../words/format.ts";
import {
  countsOf,
  type Erased,
  erasedOf,
  type Stretch,
  statuses,
  statusNames,
  stretchesOf,
  verdictOf,
} from "./integrity-words.ts";

const HOUR = 3_600_000;

const columns: readonly Column<Stretch>[] = [
  {
    head: "Hours",
    isHead: true,
    cell: ({ since, until }) => (
      <>
        <ShortTime at={since} /> to <ShortTime at={until} />
        <p class="quiet">{plural((until - since) / HOUR, "hour")}</p>
      </>
    ),
  },
  {
    head: "Status",
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>,
  },
  { head: "Sealed events", isNumber: true, cell: ({ events }) => formatNumber(events) },
  { head: "Why", cell: ({ text }) => text },
];

const ErasedEvents = ({ of: { erasure, events, hours } }: { of: Erased }) => {
  const mayOpen = useMay("erasure:request");
  const id = <Id of={erasure} />;
  return (
    <li>
      {plural(events, "event")} in {plural(hours, "hour")} by the erasure{" "}
      {mayOpen ? <a href={addressBelow("/console/erasure", erasure)}>{id}</a> : id}
    </li>
  );
};

export const HoursCard = ({ integrity }: { integrity: Integrity }) => {
  const { hours, log } = integrity;
  const counts = countsOf(hours);
  const stretches = stretchesOf(hours);
  const erased = erasedOf(hours);
  const { tone, word, text } = verdictOf(integrity);
  return (
    <Card title="Hours">
      <p role="status">
        <Badge tone={tone}>{word}</Badge> <b>{text}</b>
      </p>
      <Facts
        of={[
          ...statusNames
            .filter((status) => status === "verified" || counts[status].hours > 0)
            .map(
              (status) =>
                [
                  statuses[status].name,
                  `${plural(counts[status].hours, "hour")}, ${plural(counts[status].events, "sealed event")}`,
                ] as const,
            ),
          [
            "Log",
            log === "consistent"
              ? "Consistent: its newest checkpoint signs all of it."
              : "Broken: its newest checkpoint does not sign what is stored.",
          ],
        ]}
      />
      {stretches.length > 0 && (
        <Table
          label="Hours that are not verified"
          class="rows"
          rows={stretches}
          keyOf={({ since }) => String(since)}
          columns={columns}
        />
      )}
      {erased.length > 0 && (
        <>
          <p>Erased since they were sealed; the proof names them and still holds:</p>
          <ul class="bullets" aria-label="Erased events">
            {erased.map((one) => (
              <ErasedEvents key={one.erasure} of={one} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
};
