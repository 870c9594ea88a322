/** What one run read and changed, whether both sides agree, and why it failed. */
import { useCaller } from "../../access.ts";
import { addressOf } from "../../address.ts";
import type { SyncRun } from "../../api/types.ts";
import { formatNumber } from "../../format.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Facts } from "../../parts/page.tsx";
import { RecordLink } from "../../parts/record-link.tsx";
import { Time } from "../../parts/time.tsx";
import { recordTypes, typeNames } from "../../record-types.ts";
import { type Difference, differences } from "./completeness.ts";
import { advice, modes, triggers } from "./run-words.ts";

const Failure = ({ error, id }: { error: NonNullable<SyncRun["error"]>; id: string }) => {
  const { permissions } = useCaller();
  const { why, what, link } = advice[error.category];
  return (
    <div class="syncs-failure">
      <p>
        <b>{why}</b> {what}
      </p>
      <p class="quiet">{error.message}</p>
      {link !== undefined && permissions.includes(link.needs) && (
        <p>
          <a href={link.href}>{link.text}</a>
        </p>
      )}
      {error.category === "system" && (
        <p class="quiet">
          Run id: <code>{id}</code>
        </p>
      )}
    </div>
  );
};

const verdict = ({ isComplete, listed, stored, setAside }: Difference): string => {
  if (isComplete) return "Complete";
  const aside = setAside > 0 ? `, ${formatNumber(setAside)} set aside` : "";
  if (listed > stored) return `${formatNumber(listed - stored)} missing here${aside}`;
  if (stored > listed) return `${formatNumber(stored - listed)} more here${aside}`;
  return `The same number, but other objects${aside}`;
};

const Progress = ({ run, expected }: Props) => {
  const compared = differences(run);
  const isRunning = run.status === "running";
  return (
    <table class="rows syncs-progress">
      <thead>
        <tr>
          <th scope="col">Records</th>
          <th scope="col" class="number">
            Read
          </th>
          <th scope="col" class="number">
            Changed
          </th>
          {compared !== undefined && (
            <>
              <th scope="col" class="number">
                At the provider
              </th>
              <th scope="col" class="number">
                Here
              </th>
              <th scope="col">Completeness</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {recordTypes.map((type) => {
          const { read, written } = run.progress[type];
          const most = expected?.[type];
          const both = compared?.find((one) => one.type === type);
          return (
            <tr key={type}>
              <th scope="row">{typeNames[type].many}</th>
              <td data-head="Read" class="number">
                {formatNumber(read)}
                {isRunning && most !== undefined && most > 0 && (
                  <progress
                    aria-label={`${typeNames[type].many} read, of about ${formatNumber(most)}`}
                    value={Math.min(read, most)}
                    max={most}
                  />
                )}
              </td>
              <td data-head="Changed" class="number">
                {formatNumber(written)}
              </td>
              {both !== undefined && (
                <>
                  <td data-head="At the provider" class="number">
                    {formatNumber(both.listed)}
                  </td>
                  <td data-head="Here" class="number">
                    {formatNumber(both.stored)}
                  </td>
                  <td data-head="Completeness" class={both.isComplete ? "syncs-complete" : "syncs-differs"}>
                    {verdict(both)}
                  </td>
                </>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

const Differing = ({ one }: { one: Difference }) => {
  const { type, onlyListed, onlyStored } = one;
  const sides = [
    [onlyListed, "at the provider only"],
    [onlyStored, "here only"],
  ] as const;
  return (
    <>
      {sides.map(
        ([ids, where]) =>
          ids.length > 0 && (
            <details key={where} class="syncs-ids">
              <summary>
                {formatNumber(ids.length)}
                {ids.length === 100 && " or more"} {typeNames[type].many.toLowerCase()} are {where}
              </summary>
              <ul>
                {ids.map((id) => (
                  <li key={id}>{where === "here only" ? <RecordLink type={type} id={id} /> : <code>{id}</code>}</li>
                ))}
              </ul>
            </details>
          ),
      )}
    </>
  );
};

type Props = {
  run: SyncRun;
  /** About how many objects a full run will read, by type. */
  expected: Readonly<Record<(typeof recordTypes)[number], number>> | undefined;
};

export const RunDetails = ({ run, expected }: Props) => {
  const { id, error, healed, setAside, startedAt, finishedAt, mode, trigger } = run;
  const unequal = differences(run)?.filter(({ isComplete }) => !isComplete) ?? [];
  return (
    <div class="syncs-details">
      {error !== undefined && <Failure error={error} id={id} />}
      <Progress run={run} expected={expected} />
      {unequal.map((one) => (
        <Differing key={one.type} one={one} />
      ))}
      {unequal.length > 0 && (
        <p class="quiet">
          Objects that change while a run compares both sides may differ for a moment. What a next full run finds again
          is missing indeed.
        </p>
      )}
      <Facts
        of={[
          ["Started", <Time key="started" at={startedAt} />],
          ["Ended", finishedAt && <Time at={finishedAt} />],
          ["Started by", triggers[trigger].text],
          ["Mode", modes[mode].text],
          [
            "Healed",
            healed === undefined
              ? undefined
              : healed === 0
                ? "Webhooks had delivered every change."
                : `${formatNumber(healed)} changes that no webhook had delivered. This run found them.`,
          ],
          [
            "Set aside",
            setAside !== undefined && setAside > 0
              ? `${formatNumber(setAside)} objects that cannot be stored as the provider sent them. All others are stored.`
              : undefined,
          ],
          [
            "Run id",
            <>
              <code>{id}</code> <CopyButton text={id} what="The run’s id" />
            </>,
          ],
          [
            "Link",
            <CopyButton
              key="link"
              text={location.origin + addressOf("/console/syncs", { run: id })}
              what="The link to this run"
              label="Copy the link to this run"
            />,
          ],
        ]}
      />
    </div>
  );
};
