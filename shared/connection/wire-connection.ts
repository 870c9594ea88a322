/** What requests about the connection do, in a deployed function. */
import { wireProviderAccess } from "../provider/wire-provider.ts";
import { systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { askerOf } from "../sync/asker.ts";
import { wireCancelRuns, wireStartRun } from "../sync/wire-start.ts";
import { type Connect, createConnect } from "./connect.ts";
import type { ActingUser } from "./connection-events.ts";
import { createDisconnect, type Disconnect, type DisconnectParts } from "./disconnect.ts";
import { createTellChange } from "./tell-change.ts";
import { createVerification } from "./verify-account.ts";
import { wireAuthorizationStates } from "./wire-authorization-states.ts";
import { wireConnectionChangeStore } from "./wire-connection-stores.ts";
import { wireConnectionSecrets } from "./wire-open-connection.ts";
import { wireViewConnection } from "./wire-view-connection.ts";

/** The first run of a connection is a full one: what another account's runs read says nothing of this one. */
const wireFirstSync = () => {
  const start = wireStartRun();
  return async (by: ActingUser): Promise<void> => {
    await start({
      organizationId: by.caller.organizationId,
      trigger: "connection",
      mode: "full",
      askedBy: askerOf(by),
    });
  };
};

/** What PUT …/connection does. */
export const wireConnect = (): Connect => {
  const provider = wireProviderAccess();
  const changes = wireConnectionChangeStore();
  return createConnect({
    cancelRuns: wireCancelRuns(),
    startFirstSync: wireFirstSync(),
    states: wireAuthorizationStates(),
    verification: createVerification(provider),
    provider,
    secrets: wireConnectionSecrets(),
    changes,
    tell: createTellChange({ changes, recorder: wireRecorder() }),
    view: wireViewConnection(),
    now: systemClock,
    newToken: newRequestToken,
  });
};

/** What DELETE …/connection does, and an account's own end. @param sync what it does to the organization's runs. */
export const wireDisconnect = (sync: Pick<DisconnectParts, "cancelRuns">): Disconnect => {
  const changes = wireConnectionChangeStore();
  const tell = createTellChange({ changes, recorder: wireRecorder() });
  return createDisconnect({ ...sync, changes, tell, now: systemClock });
};
