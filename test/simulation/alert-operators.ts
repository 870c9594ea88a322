/** Operators of a simulation who raise, assign, comment on and resolve alerts, and what must be true of it at the end. */
import type { Answer, ApiRequest } from "./cloud.ts";
import { Problem } from "./invariants.ts";
import type { Organization, World } from "./world.ts";

type Alert = { organization: Organization; title: string; isAcknowledged: boolean; id?: string; isDecided?: true };
/** A comment of this text, or an assignment to a user of this id. */
type Note = { organization: Organization; alertId: string; said: string; isAcknowledged: boolean };

/** Requests of an organization's users. `insist` repeats a request until it succeeds. */
type Ask = {
  call(organization: Organization, request: ApiRequest, user?: string): Promise<Answer>;
  insist(organization: Organization, request: ApiRequest): Promise<Answer>;
};

export const createAlertOperators = ({ scheduler: { pick }, organizations }: World, { call, insist }: Ask) => {
  const alerts: Alert[] = [];
  const notes: Note[] = [];
  let names = 0;

  /** An action on one id has this outcome, unless a fault kept it from being answered. */
  const expectOutcome = async (
    organization: Organization,
    body: object,
    outcome: string,
    id: string,
  ): Promise<void> => {
    const answer = await call(organization, { method: "POST", path: "/security/alert", body });
    if (answer.status !== 200) return;
    const outcomes = answer.body as Record<string, string[]>;
    if (!outcomes[outcome]?.includes(id))
      throw new Problem(`${JSON.stringify(body)} was answered ${JSON.stringify(outcomes)}`);
  };

  /** Raises an alert by hand. */
  const raise = async (organization: Organization): Promise<Alert> => {
    const asked: Alert = { organization, title: `Alert ${++names}`, isAcknowledged: false };
    alerts.push(asked);
    const body = { action: "generate_alert", title: asked.title, riskLevel: "HIGH" };
    const answer = await call(organization, { method: "POST", path: "/security/alert", body });
    if (answer.status === 200)
      Object.assign(asked, { isAcknowledged: true, id: (answer.body as { alert: { id: string } }).alert.id });
    return asked;
  };

  /** Assigns an alert to a user, or comments on it with the user's id. */
  const discuss = async (organization: Organization, author: string, said: string): Promise<Note | undefined> => {
    const own = alerts.filter((one) => one.organization === organization && one.id !== undefined);
    const { id: alertId, isDecided } = own.length === 0 ? await raise(organization) : pick(own);
    if (alertId === undefined) return undefined;
    const [done, body] = pick([
      ["assigned", { action: "assign", assignee: said }] as const,
      ["commented", { action: "comment", text: said }] as const,
    ]);
    const request = { method: "POST", path: "/security/alert", body: { ...body, alertIds: [alertId] } };
    const { status, body: outcomes } = await call(organization, request, author);
    const added = { organization, alertId, said, isAcknowledged: false };
    if (status !== 200) return added;
    added.isAcknowledged = (outcomes as Record<string, string[]>)[done]?.includes(alertId) ?? false;
    // A resolved alert can no longer be assigned.
    if (!added.isAcknowledged && (done === "commented" || isDecided !== true))
      throw new Problem(`${JSON.stringify(body)} was answered ${JSON.stringify(outcomes)}`);
    return added;
  };

  const actions = {
    alert: raise,

    /** Acknowledges or resolves an alert that is open. */
    async decide(organization: Organization): Promise<void> {
      const alert = alerts.find((one) => one.organization === organization && one.id !== undefined && !one.isDecided);
      if (alert?.id === undefined) return;
      const { id } = alert;
      alert.isDecided = true;
      const [action, outcome] = pick([["acknowledge", "acknowledged"] as const, ["resolve", "resolved"] as const]);
      const other = organizations.find((one) => one !== organization);
      if (other !== undefined) await expectOutcome(other, { action, alertIds: [id] }, "notFound", id);
      await expectOutcome(organization, { action, alertIds: [id] }, outcome, id);
    },

    /** Assigns an alert, or comments on it. */
    async discuss(organization: Organization): Promise<void> {
      const added = await discuss(organization, "ada", `bob-${++names}`);
      if (added === undefined) return;
      notes.push(added);
      const body = { action: "comment", alertIds: [added.alertId], text: "Not ours" };
      const other = organizations.find((one) => one !== organization);
      if (other !== undefined) await expectOutcome(other, body, "notFound", added.alertId);
    },
  };

  const judgeAlerts = async (organization: Organization): Promise<void> => {
    const { body } = await insist(organization, { method: "GET", path: "/security/alert?limit=1000" });
    const titles = (body as { title: string }[]).map(({ title }) => title);
    for (const { title, isAcknowledged, organization: owner } of alerts) {
      const count = titles.filter((one) => one === title).length;
      if (owner !== organization && count > 0) throw new Problem(`${title} is in the alerts of another organization`);
      if (owner === organization && (count > 1 || (isAcknowledged && count === 0)))
        throw new Problem(`${title} was raised once and is listed ${count} times`);
    }
  };

  const judgeNotes = async (organization: Organization): Promise<void> => {
    const own = notes.filter((note) => note.organization === organization);
    for (const alertId of new Set(own.map((note) => note.alertId))) {
      const { body } = await insist(organization, { method: "GET", path: `/security/alert/${alertId}` });
      const { assignee, history } = body as { assignee?: string; history: { text?: string; assignee?: string }[] };
      const said = history.map((entry) => entry.text ?? entry.assignee);
      for (const note of own.filter((one) => one.alertId === alertId)) {
        const count = said.filter((one) => one === note.said).length;
        if (count > 1 || (note.isAcknowledged && count === 0))
          throw new Problem(`${note.said} was noted once and is ${count} times in the history of ${alertId}`);
      }
      if (assignee !== undefined && !history.some((entry) => entry.assignee === assignee))
        throw new Problem(`${alertId} is assigned to ${assignee} without an entry in its history`);
    }
  };

  return {
    actions,
    discuss,
    expectOutcome,
    async judge(organization: Organization): Promise<void> {
      await judgeAlerts(organization);
      await judgeNotes(organization);
    },
  };
};
