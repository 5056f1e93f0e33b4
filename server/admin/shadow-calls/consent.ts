// What a user, or an organization, says about copies of its calls. Who refuses loses the samples that were kept, in the same transaction.
import { SHADOW_CONSENTS, type shadowCalls } from '#contract/relay/shadow-calls.ts';
import { accountOf, type Handler } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { consentOf, removeSamplesOf } from '#server/relay/shadow-calls/samples.ts';
import type { ShadowDependencies } from './views.ts';

export function readConsent({ store, settings }: ShadowDependencies): Handler<typeof shadowCalls.consent> {
  return async (_, context) => ({
    consent: await consentOf(store.db, accountOf(context).id),
    is_for_everyone: settings.current.ShadowCallsForEveryone,
  });
}

export function saveConsent({
  store,
  settings,
}: ShadowDependencies): Handler<typeof shadowCalls.saveConsent> {
  return async ({ body: { consent } }, context) => {
    const { id } = accountOf(context);
    await store.db.transaction().execute(async (transaction) => {
      const before = await consentOf(transaction, id);
      await changeUser(transaction, id, { shadow_consent: SHADOW_CONSENTS.indexOf(consent) });
      if (consent === 'refused') await removeSamplesOf(transaction, id);
      await context.audit(
        transaction,
        'user.shadow_consent',
        `user:${id}`,
        { shadow_consent: before },
        { shadow_consent: consent },
      );
    });
    await store.changes.announce('users', String(id));
    return { consent, is_for_everyone: settings.current.ShadowCallsForEveryone };
  };
}
