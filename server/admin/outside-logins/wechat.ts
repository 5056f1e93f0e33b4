// WeChat, through the server of a public account: people get a code from the account and type it here. The code is short, so
// tries are counted per address, and it signs in once.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import { WECHAT_CODE_SECONDS } from '#contract/admin/outside-logins.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { OutsideIdentity, Tries } from './dependencies.ts';
import type { Exchange } from './exchange.ts';
import { spendProof } from './used-proofs.ts';

const userAnswer = z.object({ success: z.boolean(), data: z.string().max(200).nullish() });

export async function wechatIdentity(
  parts: { ask: Exchange['ask']; store: Store; tries: Tries },
  settings: Settings,
  code: string,
  address: string,
): Promise<OutsideIdentity> {
  if (code === '') throw new AppError('wechat_code_wrong', {}, { field: 'code' });
  const account = `wechat ${address}`;
  const seconds = await parts.tries.begin(account, address);
  if (seconds > 0) throw new AppError('too_many_attempts', { seconds });
  const answer = await parts.ask('WeChat', {
    url: `${settings.WeChatServerAddress}/api/wechat/user?${new URLSearchParams({ code }).toString()}`,
    headers: { Authorization: settings.WeChatServerToken },
    answer: userAnswer,
  });
  if (!answer.success || !answer.data) throw new AppError('wechat_code_wrong', {}, { field: 'code' });
  if (!(await spendProof(parts.store, 'wechat', code, WECHAT_CODE_SECONDS)))
    throw new AppError('wechat_code_wrong', {}, { field: 'code' });
  await parts.tries.succeed(account, address);
  // The server of the public account tells no name.
  return { provider: 'wechat', id: answer.data, name: '', knownAs: '', email: '' };
}
