// Where a user is signed in, and ending it from afar: the row goes at once, and every node drops what it remembers.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { security, SessionView } from '#contract/security.ts';
import type { Store } from '#server/store/store.ts';
import { unixSeconds } from './dependencies.ts';
import { deviceOf } from './devices.ts';

const MOST_SHOWN = 200;
const ID_CHARACTERS = 24;

export function sessionListHandlers({ store }: { store: Store }) {
  const { db, changes } = store;
  /** Names a session without being the digest it is found by. */
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

  async function end(userId: number, digests: readonly string[]): Promise<number> {
    if (digests.length === 0) return 0;
    const ended = await db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('id_digest', 'in', digests)
      .returning('id_digest')
      .execute();
    for (const { id_digest } of ended) await changes.announce('sessions', id_digest);
    return ended.length;
  }

  async function endOne(
    { params }: Input<typeof security.endSession>,
    context: RequestContext,
  ): Promise<null> {
    const { id } = callerOf(context);
    const digests = (await rowsOf(id)).map(({ id_digest }) => id_digest);
    const digest = digests.find((known) => publicId(known) === params.id);
    if (digest === undefined) throw new AppError('not_found');
    await context.audit('session.end', `user:${id}`, { session: params.id });
    if (digest === context.sessionDigest) await context.endSession();
    else await end(id, [digest]);
    return null;
  }

  async function endOthers(_: unknown, context: RequestContext): Promise<number> {
    const { id } = callerOf(context);
    const digests = (await rowsOf(id))
      .map(({ id_digest }) => id_digest)
      .filter((digest) => digest !== context.sessionDigest);
    const ended = await end(id, digests);
    await context.audit('session.end_others', `user:${id}`, { sessions: ended });
    return ended;
  }

  return { sessions: list, endSession: endOne, endOtherSessions: endOthers };
}
