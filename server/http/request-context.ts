// Builds what a handler sees of its call, and carries out what a handler may do to the browser: sign it in, sign it out,
// and lead it through a flow of several steps.
import { AppError } from '#contract/errors.ts';
import type { Store } from '#server/store/store.ts';
import { writeAudit } from './audit.ts';
import type { Credentials } from './authenticate.ts';
import type { RequestContext } from './context.ts';
import { clearedCookie, sessionCookie } from './cookie.ts';
import { createFlow } from './flow.ts';
import type { Call } from './server.ts';
import { SESSION_SECONDS, type Sessions } from './sessions.ts';

export interface ContextParts {
  store: Store;
  sessions: Sessions;
}

/** `found` is what the request carried, `admitted` what the endpoint may see of it. */
export function createRequestContext(
  call: Call,
  request: Request,
  found: Credentials,
  admitted: Credentials,
  { store, sessions }: ContextParts,
): RequestContext {
  const { address, secure } = call.origin;
  const userAgent = request.headers.get('user-agent') ?? '';
  const flow = createFlow(store, found.sessionId, async () => {
    const id = await sessions.startVisitor({ address, userAgent });
    call.cookies.push(sessionCookie(id, secure, SESSION_SECONDS.visitor));
    return id;
  });
  return {
    user: admitted.user,
    via: admitted.via,
    sessionDigest: admitted.sessionDigest,
    verifiedAt: admitted.verifiedAt,
    flow,
    address,
    userAgent,
    language: call.language,
    requestId: call.requestId,
    log: call.log,
    audit: (action, target, before, after) =>
      writeAudit(store, {
        actorId: admitted.user?.id ?? 0,
        actorName: admitted.user?.username ?? '',
        address,
        action,
        target,
        before,
        after,
        requestId: call.requestId,
      }),
    async startSession(userId) {
      const id = await sessions.start(userId, { address, userAgent }, found.sessionId);
      call.cookies.push(sessionCookie(id, secure, SESSION_SECONDS.absolute));
    },
    async confirmSession() {
      if (admitted.sessionDigest) await sessions.confirm(admitted.sessionDigest);
    },
    async endSession() {
      if (found.via === 'session') {
        // Without the header this could be a link on a foreign page that signs people out.
        if (!found.headerMatches) throw new AppError('user_header_mismatch');
        if (found.sessionId) await sessions.end(found.sessionId);
      }
      if (found.sessionId) call.cookies.push(clearedCookie(secure));
    },
  };
}
