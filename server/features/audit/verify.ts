// Checks the chain from the first row to the last. Concurrent callers share one check.
import { unixSeconds } from '#server/features/clock.ts';
import type { Output } from '#contract/endpoint.ts';
import type { audit } from '#contract/audit.ts';
import type { AuditDependencies } from './dependencies.ts';

type Result = Output<typeof audit.verify>;

export function verifyAudit({ store, brokenRow }: AuditDependencies) {
  let running: Promise<Result> | undefined;

  async function verify(): Promise<Result> {
    // Read before the rows are checked: a row written meanwhile belongs to the next check.
    const [last, { rows }] = await Promise.all([
      store.db.selectFrom('audit').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst(),
      store.db
        .selectFrom('audit')
        .select((builder) => builder.fn.countAll<number>().as('rows'))
        .executeTakeFirstOrThrow(),
    ]);
    const broken_id = await brokenRow();
    return { rows, broken_id, last_hash: last?.hash ?? '', checked_at: unixSeconds() };
  }

  return (): Promise<Result> => {
    running ??= verify().finally(() => {
      running = undefined;
    });
    return running;
  };
}
