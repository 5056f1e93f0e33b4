// Lists a user's sessions and ends them: the row is deleted at once, and every node drops its cached copy.
import { unixSeconds } from '#contract/time.ts';
import { endProgramAccess, endSessions } from '#server/admin/accounts.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { security, SessionView } from '#contract/admin/security.ts';
import type { Store } from '#server/platform/store/store.ts';
import { deviceOf } from './devices.ts';

const MOST_SHOWN = 200;
const ID_CHARACTERS = 24;

export function sessionListHandlers({ store }: { store: Store }) {
  const { db, changes } = store;
  /** Identifies a session in the list without disclosing the digest it is stored under. */
  const publicId = (digest: string) => store.vault.digest('session_list', digest).slice(0, ID_CHARACTERS);

  async function rowsOf(userId: number) {
    return await db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['sessions.id_digest', 'sessions.created_at', 'sessions.seen_at', 'sessions.expires_at'])
      .select(['sessions.ip', 'sessions.user_agent'])
      .where('sessions.user_id', '=', userId)
      .whereRef('sessions.auth_version', '=', 'users.auth_version')
      .where('sessions.expires_at', '>', unixSeconds())
      .orderBy('sessions.seen_at', 'desc')
      .limit(MOST_SHOWN)
      .execute();
  }

  async function list(_: unknown, context: RequestContext): Promise<SessionView[]> {
    const rows = await rowsOf(callerOf(context).id);
    return rows.map(({ id_digest, ...row }) => ({
      ...row,
      ...deviceOf(row.user_agent),
      id: publicId(id_digest),
      current: id_digest === context.sessionDigest,
    }));
  }

  async function endOne(
    { params }: Input<typeof security.endSession>,
    context: RequestContext,
  ): Promise<null> {
    const { id } = callerOf(context);
    const digests = (await rowsOf(id)).map(({ id_digest }) => id_digest);
    const digest = digests.find((known) => publicId(known) === params.id);
    if (digest === undefined) throw new AppError('not_found');
    await db.transaction().execute(async (transaction) => {
      if (digest === context.sessionDigest) await context.endSession(transaction);
      else await endSessions(transaction, id, [digest]);
      await context.audit(transaction, 'session.end', `user:${id}`, { session: params.id });
    });
    await changes.announce('sessions', digest);
    return null;
  }

  async function endOthers(_: unknown, context: RequestContext): Promise<number> {
    const { id } = callerOf(context);
    const digests = (await rowsOf(id))
      .map(({ id_digest }) => id_digest)
      .filter((digest) => digest !== context.sessionDigest);
    const ended = await db.transaction().execute(async (transaction) => {
      const gone = await endSessions(transaction, id, digests);
      const { accessTokens, adminKeys } = await endProgramAccess(transaction, id);
      await context.audit(transaction, 'session.end_others', `user:${id}`, {
        sessions: gone.length,
        access_tokens: accessTokens,
        admin_keys: adminKeys,
      });
      return gone;
    });
    for (const digest of ended) await changes.announce('sessions', digest);
    return ended.length;
  }

  return { sessions: list, endSession: endOne, endOtherSessions: endOthers };
}
