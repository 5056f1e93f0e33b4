// Redemption codes. A used code has its ledger row, as one that was redeemed here, so that it cannot be redeemed again.
import { cutRedemptionName, redemptionKeyOf, REDEMPTION_STATUS } from '#contract/money/redemptions.ts';
import { REDEEM_KIND, redemptionIdem } from '#server/money/ledger/idempotency.ts';
import { bookPastEntry } from '#server/money/ledger/imported.ts';
import { insertCodes } from '#server/admin/redemptions/create.ts';
import { codeDigest } from '#server/admin/redemptions/key.ts';
import { amountOf, bringTable, type Job } from './job.ts';

export async function bringRedemptions(job: Job): Promise<void> {
  const { report, ids, store } = job;
  const rows = await store.db.selectFrom('redemptions').select('key_digest').execute();
  const digests = new Set(rows.map(({ key_digest }) => key_digest));
  await bringTable(job, 'redemptions', 'redemptions', async (fields, sourceId) => {
    const name = fields.text('name') || `code ${sourceId}`;
    const code = redemptionKeyOf(fields.text('key'));
    const status = fields.integer('status', REDEMPTION_STATUS.unused);
    const quota = amountOf(job, fields, 'quota');
    const userId = ids.find('users', fields.text('used_user_id')) ?? 0;
    const leave = (reason: string) => report.leave('redemptions', reason, `${name} (id ${sourceId})`);
    if (fields.isSet('deleted_at')) return leave('deleted at the source');
    if (code === '') return leave('has no code');
    if (quota === 0) return leave('is worth nothing');
    if (status === REDEMPTION_STATUS.used && userId === 0)
      return leave('used, and the source does not say by which user');
    const digest = codeDigest(store.vault, code);
    if (digests.has(digest)) return leave('the same code exists here already');
    digests.add(digest);
    const isUsed = status === REDEMPTION_STATUS.used;
    const redeemedAt = fields.seconds('redeemed_time');
    const expiresAt = Math.max(0, fields.end('expired_time'));
    return async (transaction) => {
      const [id = 0] = await insertCodes(store, transaction, [code], {
        user_id: ids.find('users', fields.text('user_id')) ?? 0,
        name: cutRedemptionName(name),
        status: isUsed || status === REDEMPTION_STATUS.disabled ? status : REDEMPTION_STATUS.unused,
        quota,
        created_time: fields.seconds('created_time'),
        redeemed_time: redeemedAt,
        used_user_id: isUsed ? userId : 0,
        batch: `import:${job.importId}`,
        expired_time: expiresAt,
      });
      if (isUsed)
        await bookPastEntry(transaction, {
          idem: redemptionIdem(id),
          userId,
          amount: quota,
          kind: REDEEM_KIND,
          from: 'world:redeem',
          reference: cutRedemptionName(name),
          at: redeemedAt || fields.seconds('created_time'),
        });
      return id;
    };
  });
}
