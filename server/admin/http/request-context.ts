// Makes the context of a call: what a handler may know about it and do to the browser (sign in, sign out, keep values of a
// sign-in of several steps).
import type { Transaction } from 'kysely';
import type { OrganizationScope } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { writeAudit } from './audit.ts';
import type { Credentials } from './authenticate.ts';
import type { RequestContext } from './context.ts';
import { clearedCookie, sessionCookie } from './cookie.ts';
import { createFlow } from './flow.ts';
import type { Call } from './call.ts';
import { digestOf, SESSION_SECONDS, type Sessions } from './sessions.ts';

export interface ContextParts {
  store: Store;
  sessions: Sessions;
}

export interface CallContext {
  context: RequestContext;
  /**
   * Call when the handler has ended, and with it its transactions: other nodes and caches learn of changed sessions. The
   * browser gets its new cookies only if the handler succeeded; otherwise their sessions were rolled back.
   */
  finish: (isSuccess: boolean) => Promise<void>;
}

interface CallOfContext {
  call: Call;
  request: Request;
  /** What the request carried. */
  found: Credentials;
  /** What the endpoint may see of it. */
  admitted: Credentials;
  organization?: OrganizationScope | undefined;
}

export function createRequestContext(
  { call, request, found, admitted, organization }: CallOfContext,
  { store, sessions }: ContextParts,
): CallContext {
  const { address, secure } = call.origin;
  const userAgent = request.headers.get('user-agent') ?? '';
  const newCookies: string[] = [];
  const changedSessions = new Set<string>();
  /** Who acts: the caller, and after a sign-in the user who signed in. */
  let actor: { id: number; username: string } | null = admitted.user;
  const flow = createFlow(store, found.sessionId, async () => {
    const id = await sessions.startVisitor({ address, userAgent });
    call.cookies.push(sessionCookie(id, secure, SESSION_SECONDS.visitor));
    return id;
  });
  const audit: RequestContext['audit'] = (transaction, action, target, before, after) =>
    writeAudit(store, transaction, {
      actorId: actor?.id ?? 0,
      actorName: actor?.username ?? '',
      address,
      action,
      target,
      before,
      after,
      requestId: call.requestId,
      organizationId: organization?.id,
    });
  async function end(transaction: Transaction<Schema>, id: string): Promise<void> {
    await sessions.end(transaction, id);
    changedSessions.add(digestOf(id));
  }
  const context: RequestContext = {
    user: admitted.user,
    organization,
    via: admitted.via,
    sessionDigest: admitted.sessionDigest,
    verifiedAt: admitted.verifiedAt,
    flow,
    address,
    userAgent,
    language: call.language,
    requestId: call.requestId,
    log: call.log,
    audit,
    auditEvent: (event, target, detail) =>
      store.db.transaction().execute((transaction) => audit(transaction, event, target, undefined, detail)),
    async startSession(transaction, user, organizationId) {
      const id = await sessions.start(transaction, user.id, { address, userAgent }, organizationId);
      actor = user;
      if (found.sessionId) await end(transaction, found.sessionId);
      newCookies.push(sessionCookie(id, secure, SESSION_SECONDS.absolute));
    },
    async confirmSession(transaction) {
      if (!admitted.sessionDigest) return;
      await sessions.confirm(transaction, admitted.sessionDigest);
      changedSessions.add(admitted.sessionDigest);
    },
    async endSession(transaction) {
      if (found.via === 'session') {
        // Without the header a link on another site could sign the user out.
        if (!found.headerMatches) throw new AppError('user_header_mismatch');
        if (found.sessionId) await end(transaction, found.sessionId);
      }
      if (found.sessionId) newCookies.push(clearedCookie(secure));
    },
  };
  return {
    context,
    async finish(isSuccess) {
      for (const digest of changedSessions) await store.changes.announce('sessions', digest);
      if (isSuccess) call.cookies.push(...newCookies);
    },
  };
}
