// Checks the trail from the first row to the last. Concurrent callers share one check.
import type { Output } from '#contract/endpoint.ts';
import type { audit } from '#contract/admin/audit.ts';
import { unixSeconds } from '#contract/time.ts';
import type { AuditDependencies } from './dependencies.ts';

type Result = Output<typeof audit.verify>;

export function verifyAudit({ checkTrail }: AuditDependencies) {
  let running: Promise<Result> | undefined;

  async function verify(): Promise<Result> {
    const { rows, head, fault, brokenId } = await checkTrail();
    return { rows, fault, broken_id: brokenId, last_hash: head, checked_at: unixSeconds() };
  }

  return (): Promise<Result> => {
    running ??= verify().finally(() => {
      running = undefined;
    });
    return running;
  };
}
