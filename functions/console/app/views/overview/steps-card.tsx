/** The first steps of a new organization. Each is done by itself; the list goes when all are done, or when the user hides it. */
import { useState } from "preact/hooks";
import { useCaller, useMay } from "../../access.ts";
import { answer, api, page } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Connection, Destination } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/page.tsx";
import { Badge } from "../../parts/values.tsx";
import { serviceNow } from "../../words/clock.ts";
import { readKept, writeKept } from "../../words/kept.ts";
import { firstSteps, isNewOrganization, type SetUp, type Step } from "./first-steps.ts";

/** A step is done in another view, and this one reads again when the user comes back. */
const EVERY_MS = 5 * 60_000;
const EVENTS = 200;

const useSetUp = () =>
  useResource(
    "first steps",
    async (signal) => {
      const [deliveries, settings, report] = await Promise.all([
        page(api.GET("/api/integrations/provider/webhooks", { params: { query: { limit: 1 } }, signal })),
        answer(api.GET("/api/integrations/provider/settings", { signal })),
        answer(api.GET("/api/integrations/provider/security", { params: { query: { limit: EVENTS } }, signal })),
      ]);
      return { deliveries: deliveries.items, settings, events: report.events };
    },
    { everyMs: EVERY_MS },
  );

const UNKNOWN: Pick<SetUp, "deliveries" | "settings" | "events"> = {
  deliveries: undefined,
  settings: undefined,
  events: undefined,
};

const StepRow = ({ step: { name, text, isDone, href, action } }: { step: Step }) => (
  <li class={isDone ? "overview-step done" : "overview-step"}>
    <Badge tone={isDone ? "good" : "quiet"}>{isDone ? "Done" : "Open"}</Badge>
    <div>
      <b>{name}</b>
      {!isDone && <p class="quiet">{text}</p>}
    </div>
    {!isDone && href !== undefined && <a href={href}>{action}</a>}
  </li>
);

type Props = { connection: Connection; destinations: readonly Destination[] | null | undefined };

const Steps = ({ connection, destinations }: Props) => {
  const { organizationId, userId } = useCaller();
  const kept = `firstSteps ${organizationId}`;
  const [isHidden, setHidden] = useState(() => readKept(kept) === "hidden");
  const { value, problem } = useSetUp();
  const steps = firstSteps({ connection, destinations, userId, ...(value ?? UNKNOWN) });
  if (isHidden) return null;
  if (steps === undefined)
    return problem === undefined ? (
      // What is below does not move when they come.
      <Card title="First steps">
        <div class="overview-space" />
      </Card>
    ) : null;
  if (steps.every(({ isDone }) => isDone)) return null;
  const hide = (): void => {
    writeKept(kept, "hidden");
    setHidden(true);
  };
  return (
    <Card
      title={`First steps: ${steps.filter(({ isDone }) => isDone).length} of ${steps.length} done`}
      actions={
        <Button kind="link" onClick={hide}>
          Hide the first steps
        </Button>
      }
    >
      <ol class="overview-steps">
        {steps.map((step) => (
          <StepRow key={step.name} step={step} />
        ))}
      </ol>
    </Card>
  );
};

/** For those who may do the steps, while the organization is new. */
export const StepsCard = (props: Props) => {
  const mayDoThem = [useMay("connection:manage"), useMay("settings:manage"), useMay("security:read")].every(Boolean);
  return mayDoThem && isNewOrganization(props.connection, serviceNow()) ? <Steps {...props} /> : null;
};
