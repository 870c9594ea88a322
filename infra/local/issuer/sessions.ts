import { createHash, randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { roles } from "../../../shared/terms/permissions.ts";
import { readDataFile, writeDataFile } from "../core/data-file.ts";

/** How long an access token of a session lives, and whether the session outlives it. */
export const lifetimes = {
  hour: { seconds: 3600, isRenewed: true },
  minute: { seconds: 60, isRenewed: true },
  once: { seconds: 60, isRenewed: false },
} as const;
export type Lifetime = keyof typeof lifetimes;
export const lifetimeNames = ["hour", "minute", "once"] as const satisfies readonly Lifetime[];

/** Who signed in, as chosen on the sign-in page. Without an organization, the tokens name none. */
const SignIn = z.object({
  organizationId: z.string().optional(),
  role: z.enum(roles),
  userId: z.string(),
  lifetime: z.enum(lifetimeNames),
});
export type SignIn = z.infer<typeof SignIn>;

const Session = z.object({
  ...SignIn.shape,
  /** The claim `sid` of the session's tokens. */
  id: z.string(),
  secretHash: z.string(),
  signedInAtMs: z.int(),
  /** Undefined: until a sign-out. */
  endsAtMs: z.int().optional(),
});
export type Session = z.infer<typeof Session>;

/** What one exchange of a code granted. Its refresh token is `<id>.<secret>`. */
const Grant = z.object({ id: z.string(), sessionId: z.string(), secretHash: z.string(), scope: z.string() });
export type Grant = z.infer<typeof Grant>;

type Refreshed = { session: Session; grant: Grant; refreshToken?: string };

const SessionsFile = z.object({
  /** The port of the last start, so that an open console finds the issuer again after a restart. */
  port: z.int().default(0),
  sessions: z.array(Session).default([]),
  grants: z.array(Grant).default([]),
});

/** Beyond them, the oldest sessions and the grants that were used the longest ago end. */
const MAX_SESSIONS = 100;
const MAX_GRANTS = 200;

/** A secret that only its receiver knows. */
export const newSecret = (): string => randomBytes(32).toString("base64url");
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** Sessions of browsers and their refresh tokens, kept in the data directory: the hashes of secrets, never the secrets. */
export const openSessions = (dataDirectory: string, clock: { now(): number }) => {
  const file = join(dataDirectory, "issuer-sessions.json");
  let state = readDataFile(file, SessionsFile) ?? SessionsFile.parse({});
  const save = (change: Partial<typeof state>) => {
    const sessions = (change.sessions ?? state.sessions).slice(-MAX_SESSIONS);
    const live = new Set(sessions.map(({ id }) => id));
    const grants = (change.grants ?? state.grants).filter(({ sessionId }) => live.has(sessionId)).slice(-MAX_GRANTS);
    state = { ...state, ...change, sessions, grants };
    writeDataFile(file, state, 0o600);
  };
  // The file exists from the first start on, so that its loss is noticed.
  save({});

  const isLive = ({ endsAtMs }: Session) => endsAtMs === undefined || clock.now() < endsAtMs;
  const without = (id: string) => state.grants.filter((grant) => grant.id !== id);

  /** A live session by its id. */
  const byId = (id: string) => state.sessions.find((session) => session.id === id && isLive(session));

  return {
    port: () => state.port,
    keepPort: (port: number) => save({ port }),
    /** @returns the session and the secret that its browser keeps. */
    begin(signIn: SignIn): { session: Session; secret: string } {
      const secret = newSecret();
      const signedInAtMs = clock.now();
      const { seconds, isRenewed } = lifetimes[signIn.lifetime];
      const session: Session = {
        ...signIn,
        id: randomUUID(),
        secretHash: hashOf(secret),
        signedInAtMs,
        ...(!isRenewed && { endsAtMs: signedInAtMs + seconds * 1000 }),
      };
      save({ sessions: [...state.sessions.filter(isLive), session] });
      return { session, secret };
    },
    byId,
    bySecret: (secret: string) =>
      state.sessions.find((session) => session.secretHash === hashOf(secret) && isLive(session)),
    /** Ends the session and its grants. */
    end: (id: string) => save({ sessions: state.sessions.filter((session) => session.id !== id) }),
    /** @returns the grant and its first refresh token. */
    grant(session: Session, scope: string): { grant: Grant; refreshToken: string } {
      const secret = newSecret();
      const grant = { id: randomUUID(), sessionId: session.id, secretHash: hashOf(secret), scope };
      save({ grants: [...state.grants, grant] });
      return { grant, refreshToken: `${grant.id}.${secret}` };
    },
    /**
     * Uses a refresh token, and replaces it if the issuer rotates. A token that was replaced before ends its grant, because one
     * of its two users has stolen it: https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
     * @returns undefined if the token, its grant or its session is not valid; without `refreshToken` if the token stays
     */
    refresh(refreshToken: string, isRotating: boolean): Refreshed | undefined {
      const [id = "", secret = ""] = refreshToken.split(".");
      const grant = state.grants.find((one) => one.id === id);
      const session = grant && byId(grant.sessionId);
      if (grant === undefined || session === undefined || grant.secretHash !== hashOf(secret)) {
        if (grant !== undefined) save({ grants: without(id) });
        return undefined;
      }
      if (!isRotating) return { session, grant };
      const next = newSecret();
      save({ grants: [...without(id), { ...grant, secretHash: hashOf(next) }] });
      return { session, grant, refreshToken: `${id}.${next}` };
    },
    /** Ends a grant, by its id or one of its refresh tokens, valid or not. */
    endGrant: (token: string) => save({ grants: without(token.split(".")[0] ?? "") }),
  };
};

export type Sessions = ReturnType<typeof openSessions>;
