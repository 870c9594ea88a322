/**
 * A year of an account's activity at the provider, as its log has it: a team that works by day, with joiners, leavers,
 * holidays, rolled keys and changes of payouts; and, if wanted, one attack of each rule. Judged hour by hour.
 */
import { type Entry, inOrder, type Refusal } from "../../../shared/detection/account/account-input.ts";
import { judgeAccount } from "../../../shared/detection/account/account-rules.ts";
import type { AccountRule, Finding } from "../../../shared/security/alerts/finding.ts";
import { DAY, HOUR, MINUTE } from "../events.ts";
import { createDice } from "./dice.ts";

const DAYS = 365;
const ENDPOINT = "we_ours";

type Actor = Entry["actor"];
type Happening = { entries: Entry[]; refusals: Refusal[] };

const createLog = () => {
  const log: Happening = { entries: [], refusals: [] };
  let made = 0;
  const add = (occurredAt: number, kind: string, what: string, actor: Actor, fields: object = {}): void => {
    const id = `accact_${++made}`;
    const details = { type: kind, [kind]: fields };
    log.entries.push({ activityId: id, eventId: id, type: `${kind}_${what}`, occurredAt, actor, kind, details });
  };
  const refuse = (at: number): void => void log.refusals.push({ eventId: `refusal_${++made}`, at });
  return { log, add, refuse };
};

type Log = ReturnType<typeof createLog>;
type Dice = ReturnType<typeof createDice>;

const userOf = (name: string): Actor => ({ type: "user", email: `${name}@example.com` });

/** What a healthy organization does in a year. @param start a Sunday, epoch ms. */
const peacefulYear = ({ add, refuse }: Log, dice: Dice, start: number): void => {
  const admins = Array.from({ length: dice.integer(1, 3) }, (_, i) => userOf(`admin-${i}`));
  const people = [...admins, ...Array.from({ length: dice.integer(1, 9) }, (_, i) => userOf(`user-${i}`))];
  const robot: Actor = { type: "api_key", apiKeyId: "mk_1Robot" };
  const awayUntil = new Map<Actor, number>();
  const admin = (): Actor => admins[dice.integer(0, admins.length - 1)] ?? userOf("admin-0");
  let joined = 0;
  for (let day = 0; day < DAYS; day++) {
    if (day % 7 === 0 || day % 7 === 6) continue;
    const morning = start + day * DAY + 8 * HOUR;
    const at = (): number => morning + dice.integer(0, 10 * 60) * MINUTE;
    for (const person of people) {
      if (dice.chance(0.003)) awayUntil.set(person, day + dice.integer(7, 45));
      if ((awayUntil.get(person) ?? 0) <= day && dice.chance(0.8)) add(at(), "user_access", "started", person);
    }
    // Developers look at keys, administrators roll them.
    const [someone = admin()] = dice.shuffle(people.filter((person) => (awayUntil.get(person) ?? 0) <= day));
    if (dice.chance(0.04)) add(at(), "api_key", "viewed", someone);
    if (dice.chance(0.01)) add(at(), "api_key", "created", admin());
    if (dice.chance(0.015)) {
      const rolledAt = at();
      add(rolledAt, "api_key", "updated", admin());
      // Once in a while the rolled key is ours, and nobody has told this service.
      if (dice.chance(0.1)) refuse(rolledAt + dice.integer(1, 4 * 60) * MINUTE);
    }
    // A call that the provider refuses once, for a reason of its own.
    if (dice.chance(0.002)) refuse(at());
    if (dice.chance(0.03)) {
      const by = admin();
      const invitedAt = at();
      for (let i = 0; i < dice.integer(1, 2); i++) {
        const person = userOf(`joiner-${joined++}`);
        const fields = { invited_user_email: person.email, roles: ["developer"] };
        add(invitedAt + i * 3 * MINUTE, "user_invite", "created", by, fields);
        add(invitedAt + DAY + i * HOUR, "user_access", "started", person);
        // Most look at a key after some days, few on the first one.
        add(invitedAt + DAY + dice.integer(dice.chance(0.05) ? 3 : 30, 240) * HOUR, "api_key", "viewed", person);
        people.push(person);
      }
    }
    if (dice.chance(0.02)) {
      const { email } = someone;
      add(at(), "user_roles", "updated", admin(), {
        user_email: email,
        old_roles: ["developer"],
        new_roles: ["analyst"],
      });
    }
    // A team is set up anew, once a year.
    if (dice.chance(0.001)) {
      const [by, from] = [admin(), at()];
      for (let i = 0; i < 6; i++) add(from + i * 5 * MINUTE, "user_roles", "updated", by, { user_email: `team-${i}` });
    }
    if (dice.chance(0.008)) add(at(), "payout", dice.chance(0.5) ? "schedule_updated" : "destination_updated", admin());
    if (dice.chance(0.01)) add(at(), "event_destination", "updated", robot, { id: "we_another" });
    if (dice.chance(0.004)) add(at(), "sso", "settings_updated", admin());
  }
};

const eve = userOf("eve");

/** One attack of each rule, in the order of the rules, after half a year. */
const attacks: Readonly<Record<AccountRule, (log: Log, at: number) => void>> = {
  key_made_by_stranger: ({ add }, at) => {
    add(at, "user_access", "started", eve);
    add(at + 20 * MINUTE, "api_key", "created", eve);
  },
  key_seen_then_refused: ({ add, refuse }, at) => {
    add(at, "api_key", "viewed", userOf("admin-0"));
    add(at + HOUR, "api_key", "deleted", userOf("admin-0"));
    refuse(at + 2 * HOUR);
  },
  payout_after_access: ({ add }, at) => {
    add(at, "user_roles", "updated", userOf("admin-0"), { user_email: "eve@example.com", new_roles: ["admin"] });
    add(at + 5 * HOUR, "payout", "destination_updated", eve);
  },
  access_burst: ({ add }, at) => {
    const person = { invited_user_email: "mallory@example.com", roles: ["admin"] };
    add(at, "user_invite", "created", userOf("admin-0"), person);
    add(at + 3 * HOUR, "user_roles", "deleted", userOf("admin-0"), {
      user_email: "mallory@example.com",
      old_roles: [],
    });
  },
  endpoint_tampered: ({ add }, at) => add(at, "event_destination", "disabled", eve, { id: ENDPOINT }),
};

/** Judges a period of a log as it is read: each hour's entries when the hour is over, and each refusal when it happens. */
const judge = ({ entries, refusals }: Happening, [from, to]: readonly [number, number]): Finding[] => {
  const ordered = inOrder(entries);
  const context = { endpoint: { id: ENDPOINT } };
  const before = (to: number) => ordered.filter(({ occurredAt }) => occurredAt <= to && occurredAt >= to - 30 * DAY);
  const inPeriod = (at: number) => at >= from && at < to;
  const read = ordered.filter(({ occurredAt }) => inPeriod(occurredAt));
  const hours = [...Map.groupBy(read, ({ occurredAt }) => Math.floor(occurredAt / HOUR))];
  const found = hours.flatMap(([hour, fresh]) => {
    const end = (hour + 1) * HOUR - 1;
    const known = refusals.filter(({ at }) => at <= end && at >= end - 30 * DAY);
    const ids = new Set(fresh.map(({ activityId }) => activityId));
    return judgeAccount({ ...context, entries: before(end), fresh: ids, refusals: known }, {});
  });
  const refused = refusals.filter(({ at }) => inPeriod(at));
  const atOnce = refused.flatMap((refusal) =>
    judgeAccount(
      { ...context, entries: before(refusal.at), fresh: new Set([refusal.eventId]), refusals: [refusal] },
      {},
    ),
  );
  // A finding that is made again has the same occurrence, and is one alarm.
  const byName = (one: Finding) => `${one.rule} ${one.subject} ${one.occurrence}`;
  return [...new Map([...found, ...atOnce].map((finding) => [byName(finding), finding])).values()];
};

/** The findings of each rule in a peaceful year, and whether each rule's attack is found. */
export const judgeAccountYear = (seed: number, start: number) => {
  const peaceful = createLog();
  peacefulYear(peaceful, createDice(seed), start);
  const findings = judge(peaceful.log, [start, start + (DAYS + 30) * DAY]);
  const isFound = (rule: AccountRule): boolean => {
    const attacked = createLog();
    peacefulYear(attacked, createDice(seed), start);
    const at = start + 200 * DAY + 9 * HOUR;
    attacks[rule](attacked, at);
    const names = new Set(findings.map(({ rule: of, lastSeen }) => `${of} ${lastSeen}`));
    return judge(attacked.log, [at - HOUR, at + DAY]).some(
      (one) => one.rule === rule && !names.has(`${rule} ${one.lastSeen}`),
    );
  };
  return { entries: peaceful.log.entries.length, findings, isFound };
};
