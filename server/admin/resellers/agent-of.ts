// The caller as an agent; also after the agency has ended, because what was earned stays.
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export async function agentOf({ db }: Store, context: RequestContext): Promise<Row<'agents'>> {
  const agent = await db
    .selectFrom('agents')
    .selectAll()
    .where('user_id', '=', callerOf(context).id)
    .executeTakeFirst();
  if (agent === undefined) throw new AppError('not_an_agent');
  return agent;
}
