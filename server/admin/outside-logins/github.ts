// GitHub, or an Enterprise server. The identity is the numeric id: a login name can be released and taken by another person.
import { z } from 'zod';
import type { Settings } from '#contract/settings.ts';
import type { OutsideIdentity } from './dependencies.ts';
import type { Exchange } from './exchange.ts';
import type { BegunFlow, FlowValue } from './flow.ts';

const PUBLIC = 'https://github.com';
const PUBLIC_API = 'https://api.github.com';

const tokenAnswer = z.object({ access_token: z.string().min(1) });
const userAnswer = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
});

/** Enterprise servers have their API under the same address. */
export const githubApi = ({ GitHubAddress }: Pick<Settings, 'GitHubAddress'>): string =>
  GitHubAddress === PUBLIC ? PUBLIC_API : `${GitHubAddress}/api/v3`;

/** No scope: only the public profile is read. */
export function githubAuthorizeUrl(settings: Settings, { state, challenge }: BegunFlow): string {
  const query = new URLSearchParams({
    client_id: settings.GitHubClientId,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `${settings.GitHubAddress}/login/oauth/authorize?${query.toString()}`;
}

export async function githubIdentity(
  ask: Exchange['ask'],
  settings: Settings,
  code: string,
  flow: FlowValue,
): Promise<OutsideIdentity> {
  const { access_token } = await ask('GitHub', {
    url: `${settings.GitHubAddress}/login/oauth/access_token`,
    json: {
      client_id: settings.GitHubClientId,
      client_secret: settings.GitHubClientSecret,
      code,
      // A flow without a provider began at an address of the client, which had no challenge.
      ...(flow.provider === 'github' ? { code_verifier: flow.verifier } : {}),
    },
    answer: tokenAnswer,
  });
  const user = await ask('GitHub', {
    url: `${githubApi(settings)}/user`,
    headers: { Authorization: `Bearer ${access_token}` },
    answer: userAnswer,
  });
  const { login } = user;
  return { provider: 'github', id: String(user.id), name: user.name || login, knownAs: login, email: '' };
}
