/** The call that sends the parameters of a provider's redirect to the server. */
import { BOUND_MESSAGE } from '#contract/admin/outside-logins.ts';
import type { LoginAnswer } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { takeTelegramMark } from '#web/api/outside-logins.ts';
import type { Callback } from './read-callback.ts';

/** Throws an error with the message to show. */
export async function finishCallback(callback: Callback, cancelled: string): Promise<LoginAnswer | 'bound'> {
  if (callback.provider === 'telegram') {
    const { fields, state, binds } = callback;
    if (binds) {
      await api.outsideLogins.telegramBind({ body: { ...fields, state } });
      return 'bound';
    }
    if (!takeTelegramMark()) throw new Error(cancelled);
    return await api.outsideLogins.telegramLogin({ query: fields });
  }
  const { provider, code, state, refused, iss } = callback;
  if (refused) throw new Error(cancelled);
  const { data, message } = await api.outsideLogins[provider]({ query: { code, state, iss } });
  if (message === BOUND_MESSAGE || data === null) return 'bound';
  return data;
}
