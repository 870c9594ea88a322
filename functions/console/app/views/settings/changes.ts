/** What a change of the settings means, in sentences. Pure. */
import type { Settings } from "../../api/types.ts";

export const restrictedRoles = [
  { role: "member", plural: "Members" },
  { role: "guest", plural: "Guests" },
] as const;

const sorted = (list: readonly string[]): string => [...new Set(list)].sort().join(" ");

/** Whether both settings allow the same. The order of a list and repetitions do not matter for that. */
export const isSame = (one: Settings, other: Settings): boolean =>
  sorted(one.ipAllowlist) === sorted(other.ipAllowlist) &&
  one.siemFeed === other.siemFeed &&
  one.accountActivity === other.accountActivity &&
  one.drill === other.drill &&
  restrictedRoles.every(({ role }) => sorted(one.recordAccess[role]) === sorted(other.recordAccess[role]));

const missingIn = <Item>(list: readonly Item[], other: readonly Item[]): Item[] => [
  ...new Set(list.filter((item) => !other.includes(item))),
];

/** Such as "Adds the network 192.0.2.0/24." */
export const changesBetween = (before: Settings, after: Settings): string[] => {
  const added = missingIn(after.ipAllowlist, before.ipAllowlist);
  const removed = missingIn(before.ipAllowlist, after.ipAllowlist);
  const opens = before.ipAllowlist.length > 0 && after.ipAllowlist.length === 0;
  const closes = before.ipAllowlist.length === 0 && after.ipAllowlist.length > 0;
  return [
    ...(closes ? ["Only addresses in the list may call. Until now, every address may."] : []),
    ...added.map((network) => `Adds the network ${network}.`),
    ...removed.map((network) => `Removes the network ${network}.`),
    ...(opens ? ["Every address may call, because the list is empty."] : []),
    ...restrictedRoles.flatMap(({ role, plural }) => [
      ...missingIn(after.recordAccess[role], before.recordAccess[role]).map((type) => `${plural} may read ${type}.`),
      ...missingIn(before.recordAccess[role], after.recordAccess[role]).map(
        (type) => `${plural} may no longer read ${type}.`,
      ),
    ]),
    ...(before.siemFeed === after.siemFeed ? [] : [`Switches the feed for a SIEM ${after.siemFeed ? "on" : "off"}.`]),
    ...(before.accountActivity === after.accountActivity
      ? []
      : [`Switches reading the account's activity ${after.accountActivity ? "on" : "off"}.`]),
    ...(before.drill === after.drill ? [] : [`Switches monthly drills ${after.drill === "monthly" ? "on" : "off"}.`]),
  ];
};
