// The second factor of new-api: the shared secret of the user's device. Recovery codes are hashes of another kind and
// passkeys belong to another address; users make new ones.
import { insertEnabledSecret } from '#server/admin/security/two-factor.ts';
import { bringTable, type Job } from './job.ts';

export async function bringTwoFactor(job: Job): Promise<void> {
  const { report, ids, store } = job;
  const rows = await store.db.selectFrom('totp_secrets').select('user_id').execute();
  const guarded = new Set(rows.map(({ user_id }) => user_id));
  if ((await job.source.count('passkey_credentials')) > 0)
    report.note('Passkeys are not brought: their owners sign in by password and register a new one.');
  await bringTable(job, 'second factors', 'two_fas', async (fields) => {
    const userId = ids.find('users', fields.text('user_id'));
    const secret = fields
      .text('secret')
      .replaceAll(/[\s=]+/g, '')
      .toUpperCase();
    const name = `user ${fields.text('user_id')}`;
    if (fields.isSet('deleted_at') || fields.flag('is_enabled') === 0)
      return report.leave('second factors', 'not in use', name);
    if (userId === undefined) return report.leave('second factors', 'its user is not brought', name);
    if (!/^[A-Z2-7]{16,}$/.test(secret)) {
      report.conflict(
        `${name}: the secret of the second factor cannot be read; the user has to set it up again`,
      );
      return report.leave('second factors', 'its secret cannot be read', name);
    }
    // The user set one up here after an earlier import.
    if (guarded.has(userId)) return report.leave('second factors', 'the user has one here already', name);
    if (!job.isDry) guarded.add(userId);
    return async (transaction) => {
      await insertEnabledSecret(store, transaction, userId, secret);
      return userId;
    };
  });
}
