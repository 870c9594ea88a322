import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { typeNames } from "../../words/record-types.ts";
import { RecordFacts } from "./record-facts.tsx";

/** One record; null if there is none. */
export const useRecord = (type: RecordType, id: string): Resource<ProviderRecord | null> =>
  useResource(`record ${type} ${id}`, async (signal) => {
    const params = { path: { type }, query: { id } };
    const found = await answer(api.GET("/api/integrations/provider/records/{type}", { params, signal }));
    return found[0] ?? null;
  });

const NoRecord = ({ type, id }: { type: RecordType; id: string }) => (
  <Empty title={`There is no such ${typeNames[type].one.toLowerCase()} here`}>
    <p>
      <code>{id}</code> is not stored. It may come with the next sync, or it was erased.{" "}
      <a href={`/console/records/${type}`}>Open {typeNames[type].many}</a>
    </p>
  </Empty>
);

type RecordCardProps = { type: RecordType; id: string; of: Resource<ProviderRecord | null> };

export const RecordCard = ({ type, id, of }: RecordCardProps) => {
  const { one } = typeNames[type];
  return (
    <Loaded
      of={of}
      what={`the ${one.toLowerCase()}`}
      isEmpty={(value) => value === null}
      empty={<NoRecord type={type} id={id} />}
    >
      {(value) =>
        value !== null && (
          <Card title={one}>
            <RecordFacts record={value} />
          </Card>
        )
      }
    </Loaded>
  );
};

/** In place of records that the role may not read. */
export const NotReadable = ({ type }: { type: RecordType }) => {
  const { role, organizationId } = useCaller();
  return (
    <div class="state">
      <p class="state-title">Your role does not allow this</p>
      <p>
        The role <b>{role}</b> in <b>{organizationId}</b> may not read {typeNames[type].many.toLowerCase()}. An
        administrator can allow it in the settings, under record access.
      </p>
    </div>
  );
};
