import { acme, atMinutes, type Cases, globex, minute, times } from "./case.ts";

const ada = { user: "ada", address: "192.0.2.1" };
const failuresOf = (who: { user?: string; address?: string }, minutes: readonly number[], events = acme) =>
  atMinutes(minutes, (at) => events.tokenFailure(at, who));
const ofAda = (hour: number, count: number, level = "HIGH") => ({ hour, subject: "user:ada", level, count });
const ofAddress = (hour: number, count: number) => ({ hour, subject: "address:192.0.2.1", level: "HIGH", count });
const ofConnection = (hour: number, count: number) => ({ hour, subject: "connection", level: "HIGH", count });
const refusals = (minutes: readonly number[]) => atMinutes(minutes, (at) => acme.credentialsRefused(at));
const five = failuresOf(ada, [1, 2, 3, 4, 5]);
const users = (count: number) => times(count).map((index) => ({ user: `user-${index}`, address: "192.0.2.1" }));
/** Failures of some users in turn, at equal intervals. */
const spray = (count: number, userCount: number, apart: number) =>
  times(count).map((index) => acme.tokenFailure(minute(index * apart), users(userCount)[index % userCount] ?? ada));

/** A count of all addresses that names ada and a busier user. Times in minutes. */
const countNaming = (at: number, { failures, lastAt }: { failures: number; lastAt: number }) =>
  acme.tokenFailure(
    minute(at),
    {},
    {
      failures: 200,
      users: 90,
      busiest: [
        { userId: "ada", failures, addresses: [ada.address], lastAt: minute(lastAt) },
        { userId: "ghost", failures: 4, addresses: [], lastAt: minute(lastAt) },
      ],
    },
  );

export const repeatedAuthFailuresCases: Cases = {
  rule: "repeated_auth_failures",
  cases: [
    { title: "four failures of a user", events: failuresOf(ada, [1, 2, 3, 4]), finds: [] },
    { title: "five failures of a user", events: five, finds: [ofAda(0, 5)] },
    { title: "nine failures of a user", events: failuresOf(ada, times(9)), finds: [ofAda(0, 9)] },
    { title: "the first of five exactly 15 minutes old", events: failuresOf(ada, [0, 4, 8, 12, 15]), finds: [] },
    {
      title: "the first of five a millisecond younger",
      events: [...failuresOf(ada, [4, 8, 12, 15]), acme.tokenFailure(minute(0) + 1, ada)],
      finds: [ofAda(0, 5)],
    },
    { title: "repeated", events: [...five, ...five, ...five.slice(0, 2)], finds: [ofAda(0, 5)] },
    { title: "four, repeated", events: [...five.slice(1), ...five.slice(1)], finds: [] },
    { title: "out of order", events: five.toReversed(), finds: [ofAda(0, 5)] },
    {
      title: "three in one organization and three in another",
      events: [...failuresOf(ada, [1, 2, 3]), ...failuresOf(ada, [1, 2, 3], globex)],
      finds: [],
    },
    {
      title: "five in another organization",
      events: [...failuresOf(ada, [1]), ...failuresOf(ada, [1, 2, 3, 4, 5], globex)],
      finds: [{ ...ofAda(0, 5), organization: "globex" }],
    },
    {
      title: "again while the alert is open",
      events: [...five, ...failuresOf(ada, [71, 72, 73, 74, 75])],
      finds: [ofAda(0, 5), ofAda(1, 5)],
    },
    { title: "across the hour", events: failuresOf(ada, [56, 57, 58, 61, 62]), finds: [ofAda(1, 5)] },
    {
      title: "of one user, from many addresses",
      events: atMinutes(times(5), (at, index) => acme.tokenFailure(at, { user: "ada", address: `192.0.2.${index}` })),
      finds: [ofAda(0, 5)],
    },
    {
      title: "of three users, from one address",
      events: spray(5, 3, 1),
      finds: [ofAddress(0, 5)],
    },
    {
      title: "of unknown users, from one address",
      events: failuresOf({ address: "192.0.2.1" }, times(5)),
      finds: [ofAddress(0, 5)],
    },
    {
      title: "a flood of one user: single events, and a count without names",
      events: [...five, acme.tokenFailure(minute(6), { address: "192.0.2.1" }, { failures: 95, users: 1 })],
      finds: [ofAda(0, 100)],
    },
    {
      title: "a count of five failures",
      events: [acme.tokenFailure(minute(6), { address: "192.0.2.1" }, { failures: 5, users: 2 })],
      finds: [ofAddress(0, 5)],
    },
    {
      title: "from two addresses of one /64, and a count of that network",
      events: [
        ...atMinutes(times(2), (at, index) =>
          acme.tokenFailure(at, { user: "ada", address: `2001:db8:1:2::${index}` }),
        ),
        acme.tokenFailure(minute(3), { address: "2001:db8:1:2::/64" }, { failures: 3, users: 2 }),
      ],
      finds: [{ hour: 0, subject: "address:2001:db8:1:2::/64", level: "HIGH", count: 5 }],
    },
    {
      title: "from one IPv6 address",
      events: failuresOf({ address: "2001:db8:1:2::7" }, times(5)),
      finds: [{ hour: 0, subject: "address:2001:db8:1:2::7", level: "HIGH", count: 5 }],
    },
    {
      title: "a count of many addresses, which names no address",
      events: [acme.tokenFailure(minute(6), {}, { failures: 500, users: 20 })],
      finds: [],
    },
    {
      title: "a success from the failures' /64",
      events: [
        ...failuresOf({ user: "ada", address: "2001:db8:1:2::7" }, times(5)),
        acme.call(minute(6), { user: "ada", address: "2001:db8:1:2::8" }),
      ],
      finds: [ofAda(0, 5)],
    },
    {
      title: "a count of many addresses that names the users with the most failures",
      events: [countNaming(6, { failures: 5, lastAt: 6.5 })],
      finds: [ofAda(0, 5)],
    },
    {
      title: "four failures in a count that names the user",
      events: [countNaming(6, { failures: 4, lastAt: 6.5 })],
      finds: [],
    },
    {
      title: "two failures and a count with three, and a success from another address",
      events: [
        ...failuresOf(ada, [1, 2]),
        countNaming(6, { failures: 3, lastAt: 6.5 }),
        acme.call(minute(7), { user: "ada", address: "198.51.100.7" }),
      ],
      finds: [ofAda(0, 5, "CRITICAL")],
    },
    {
      title: "a success from an address of the failures that a count names",
      events: [countNaming(6, { failures: 9, lastAt: 6.5 }), acme.call(minute(7), ada)],
      finds: [ofAda(0, 9)],
    },
    {
      title: "a success before the last failure that a count names",
      events: [
        countNaming(6, { failures: 5, lastAt: 6.9 }),
        acme.call(minute(6.5), { user: "ada", address: "198.51.100.7" }),
      ],
      finds: [ofAda(0, 5)],
    },
    {
      title: "a count whose last failure of the user lies in the next hour",
      events: [
        countNaming(59.8, { failures: 5, lastAt: 60.2 }),
        acme.call(minute(61), { user: "ada", address: "198.51.100.7" }),
      ],
      finds: [ofAda(1, 5, "CRITICAL")],
    },
    {
      title: "forged webhooks",
      events: atMinutes(times(40), (at) => acme.forgedWebhook(at, "192.0.2.1", 100)),
      finds: [],
    },
    {
      title: "keys refused while connecting",
      events: atMinutes(times(9), (at) => acme.connectRefused(at, ada)),
      finds: [],
    },
    {
      title: "thirty failures of nine users in ten minutes: failures from an address",
      events: spray(30, 9, 0.3),
      finds: [ofAddress(0, 30)],
    },
    {
      title: "a success from another address within 15 minutes after the fifth",
      events: [...five, acme.call(minute(19.9), { user: "ada", address: "198.51.100.7" })],
      finds: [ofAda(0, 5, "CRITICAL")],
    },
    {
      title: "a success exactly 15 minutes after the fifth",
      events: [...five, acme.call(minute(20), { user: "ada", address: "198.51.100.7" })],
      finds: [ofAda(0, 5)],
    },
    {
      title: "a success from the failures' address",
      events: [...five, acme.call(minute(6), ada)],
      finds: [ofAda(0, 5)],
    },
    {
      title: "a success of another user",
      events: [...five, acme.call(minute(6), { user: "bob", address: "198.51.100.7" })],
      finds: [ofAda(0, 5)],
    },
    {
      title: "a success after four failures",
      events: [...five.slice(1), acme.call(minute(6), { user: "ada", address: "198.51.100.7" })],
      finds: [],
    },
    {
      title: "a success before the fifth",
      events: [...five, acme.call(minute(4.5), { user: "ada", address: "198.51.100.7" })],
      finds: [ofAda(0, 5)],
    },
    {
      title: "a success in the hour after the failures'",
      events: [
        ...failuresOf(ada, [52, 53, 54, 55, 56]),
        acme.call(minute(65), { user: "ada", address: "198.51.100.7" }),
      ],
      finds: [ofAda(0, 5), ofAda(1, 5, "CRITICAL")],
    },
    {
      title: "a success in the hour after, of failures that began 15 minutes before that hour",
      events: [
        ...failuresOf(ada, [41, 44, 47, 50, 53]),
        acme.call(minute(65), { user: "ada", address: "198.51.100.7" }),
      ],
      finds: [ofAda(0, 5), ofAda(1, 5, "CRITICAL")],
    },
    { title: "two refusals of the connection's credentials", events: refusals([1, 61]), finds: [] },
    { title: "three refusals, hours apart", events: refusals([1, 61, 421]), finds: [ofConnection(7, 3)] },
    { title: "four refusals", events: refusals([1, 61, 121, 181]), finds: [ofConnection(2, 3), ofConnection(3, 4)] },
    {
      title: "three refusals with a reconnection between",
      events: [...refusals([1, 61, 181]), acme.connected(minute(120))],
      finds: [ofConnection(3, 3)],
    },
    {
      title: "three refusals with a succeeded run between",
      events: [...refusals([1, 61, 181]), acme.runStarted(minute(120), "r"), acme.runSucceeded(minute(121), "r")],
      finds: [],
    },
    {
      title: "three refusals with a failed run between",
      events: [...refusals([1, 61, 181]), acme.runStarted(minute(120), "r"), acme.runFailed(minute(121), "r")],
      finds: [ofConnection(3, 3)],
    },
    {
      title: "two refusals, each recorded by the operation too",
      events: [1, 61].flatMap((at) => [acme.reconnectNeeded(minute(at)), acme.credentialsRefused(minute(at + 0.1))]),
      finds: [],
    },
    {
      title: "rejections in a user's run: no failures of the user",
      events: atMinutes([1, 2, 3, 4, 5], (at) => acme.credentialsRefused(at, { source: "user", userId: "ada" })),
      finds: [ofConnection(0, 5)],
    },
  ],
};
