/** The endpoints of mutes. Decisions: docs/rules.md, "Mutes". */
import * as z from "zod/mini";
import { defineRoutes, idOf, PositionById, pagesOf } from "../http/route.ts";
import { Mute, MuteRequest } from "../mutes/mute.ts";

const MUTES = "/api/integrations/provider/mutes";

const muteId = idOf("mute", "mute_not_found");

export const muteRoutes = defineRoutes("mutes", {
  listMutes: {
    method: "GET",
    path: MUTES,
    permission: "security:read",
    summary: "List mutes",
    description:
      "Returns the organization's mutes, newest first: planned, active, and those that have ended within the retention of events.",
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of mutes.", body: z.array(Mute) },
  },
  createMute: {
    method: "POST",
    path: MUTES,
    permission: "security:manage",
    summary: "Mute alerts",
    description:
      "Mutes alerts by rule, subject and level for a time, at once or planned, whole or in weekly spans. Muted alerts are raised and listed as before; their notifications are withheld until the mute ends. A mute of HIGH or CRITICAL alerts is an alert itself.",
    request: { body: MuteRequest },
    isIdempotent: true,
    success: { status: 201, description: "The mute.", body: Mute },
    failures: ["too_many_mutes", "idempotency_conflict"],
  },
  getMute: {
    method: "GET",
    path: `${MUTES}/{id}`,
    permission: "security:read",
    summary: "Read a mute",
    description: "Returns one mute, with its state and the numbers of what it has hidden.",
    request: { params: muteId },
    success: { status: 200, description: "The mute.", body: Mute },
    failures: ["mute_not_found"],
  },
  endMute: {
    method: "DELETE",
    path: `${MUTES}/{id}`,
    permission: "security:manage",
    summary: "End a mute",
    description:
      "Ends a mute; it stays in the list. Within five minutes, each unresolved alert that it has hidden is sent once. Ending it again changes nothing.",
    request: { params: muteId },
    success: { status: 204, description: "The mute has ended." },
    failures: ["mute_not_found"],
  },
});
