// LinuxDO, the forum. Members have a trust level there; operators can require a minimum.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import type { OutsideIdentity } from './dependencies.ts';
import type { Exchange } from './exchange.ts';
import type { BegunFlow } from './flow.ts';

const tokenAnswer = z.object({ access_token: z.string().min(1) });
const userAnswer = z.object({
  id: z.number().int().positive(),
  username: z.string(),
  name: z.string().nullish(),
  active: z.boolean().default(true),
  trust_level: z.number().default(0),
});

const redirectUri = ({ ServerAddress }: Settings) => `${ServerAddress}/oauth/linuxdo`;

export function linuxdoAuthorizeUrl(settings: Settings, { state }: BegunFlow): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: settings.LinuxDOClientId,
    redirect_uri: redirectUri(settings),
    state,
  });
  return `${settings.LinuxDOAddress}/oauth2/authorize?${query.toString()}`;
}

export async function linuxdoIdentity(
  ask: Exchange['ask'],
  settings: Settings,
  code: string,
): Promise<OutsideIdentity> {
  const { LinuxDOAddress, LinuxDOClientId, LinuxDOClientSecret, LinuxDOMinimumTrustLevel } = settings;
  const credentials = Buffer.from(`${LinuxDOClientId}:${LinuxDOClientSecret}`).toString('base64');
  const { access_token } = await ask('LinuxDO', {
    url: `${LinuxDOAddress}/oauth2/token`,
    headers: { Authorization: `Basic ${credentials}` },
    form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri(settings) },
    answer: tokenAnswer,
  });
  const user = await ask('LinuxDO', {
    url: `${LinuxDOAddress}/api/user`,
    headers: { Authorization: `Bearer ${access_token}` },
    answer: userAnswer,
  });
  if (!user.active) throw new AppError('outside_refused', { provider: 'LinuxDO' });
  if (user.trust_level < LinuxDOMinimumTrustLevel)
    throw new AppError('linuxdo_trust_too_low', { required: LinuxDOMinimumTrustLevel });
  const { username } = user;
  return {
    provider: 'linuxdo',
    id: String(user.id),
    name: user.name || username,
    knownAs: username,
    email: '',
  };
}
