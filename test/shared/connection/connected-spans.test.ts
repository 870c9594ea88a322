import { describe, expect, it } from "@jest/globals";
import { connectedSpans, endSpan, isConnectedThroughout } from "../../../shared/connection/connected-spans.ts";
import type { ConnectedItem, StoredConnection } from "../../../shared/connection/connection-item.ts";

const HOUR = 3_600_000;

const connected = (fields: Partial<ConnectedItem> = {}): ConnectedItem => ({
  status: "connected",
  connectionId: "id",
  method: "api_key",
  accountId: "acct_1",
  connectedAt: 5 * HOUR,
  credentials: new Uint8Array(1),
  credentialsVersion: "1",
  ...fields,
});

describe("the spans of a connection", () => {
  it("begin with the last connect if an earlier version stored it", () => {
    expect(connectedSpans(connected())).toEqual([{ since: 5 * HOUR }]);
    expect(connectedSpans(connected({ connectedSince: HOUR }))).toEqual([{ since: HOUR }]);
    expect(endSpan(connected(), 7 * HOUR)).toEqual({ connectedBefore: [{ since: 5 * HOUR, until: 7 * HOUR }] });
  });

  it("are stored if they contain a whole hour", () => {
    const ending = (since: number, until: number) => endSpan(connected({ connectedSince: since }), until);
    expect(ending(HOUR, 2 * HOUR)).not.toEqual({});
    expect(ending(HOUR + 1, 2 * HOUR + 1)).toEqual({});
    expect(ending(HOUR + 1, 3 * HOUR)).not.toEqual({});
    expect(ending(HOUR, 2 * HOUR - 1)).toEqual({});
  });

  it("are ten at most, so that an hour's window is known although somebody connects and disconnects all the time", () => {
    let stored: StoredConnection = { status: "disconnected" };
    for (let hour = 0; hour < 30; hour++) {
      const { connectedBefore } = stored;
      const before = connected({ connectedSince: hour * HOUR, ...(connectedBefore && { connectedBefore }) });
      stored = { status: "disconnected", ...endSpan(before, (hour + 1) * HOUR) };
      for (let minute = 0; minute < 59; minute++) {
        const since = (hour + 1) * HOUR + minute * 60_000;
        const again = connected({ connectedSince: since, ...stored, status: "connected" });
        stored = { ...stored, ...endSpan(again, since + 60_000) };
      }
    }
    const spans = connectedSpans(stored);
    expect(spans).toHaveLength(10);
    const isKnown = (hour: number) => isConnectedThroughout(spans, { start: hour * HOUR, end: (hour + 1) * HOUR });
    expect([20, 25, 29].map(isKnown)).toEqual([true, true, true]);
    expect(isKnown(19)).toBe(false);
  });
});
