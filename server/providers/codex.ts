// A ChatGPT subscription as Codex uses it. The key is what the login wrote: JSON with an access token and the account.
import { member, textIn } from './json.ts';
import type { Provider } from './provider.ts';

const baseUrl = 'https://chatgpt.com';

export const codex: Provider = {
  type: 57,
  name: 'Codex',
  baseUrl,
  speaks: ['openai-responses'],
  reportsStreamUsage: false,
  alwaysStreams: true,
  url: (channel) => `${(channel.baseUrl || baseUrl).replace(/\/+$/, '')}/backend-api/codex/responses`,
  headers(channel) {
    const { accessToken, account } = loginOf(channel.key);
    return {
      Authorization: `Bearer ${accessToken}`,
      'OpenAI-Beta': 'responses=experimental',
      originator: 'codex_cli_rs',
      ...(account === '' ? {} : { 'chatgpt-account-id': account }),
    };
  },
  /** Nothing is kept there, instructions must be given, and limits are the subscription's own. */
  adjust(body) {
    const { max_output_tokens: _limit, temperature: _temperature, top_p: _topP, ...rest } = body;
    return { instructions: '', ...rest, store: false, stream: true };
  },
  refusalIn(body, status) {
    const type = textIn(body, 'error', 'type') || textIn(body, 'detail', 'code');
    if (status < 400 || type === '') return undefined;
    const message = textIn(body, 'error', 'message') || textIn(body, 'detail');
    // A plan that is used up comes back by itself; a login that was revoked does not.
    const isAccountFault =
      type === 'deactivated_workspace' || type === 'usage_not_included' || status === 401;
    return { message, type, code: type, status, isAccountFault };
  },
  listing: null,
};

function loginOf(key: string): { accessToken: string; account: string } {
  try {
    const login: unknown = JSON.parse(key);
    const tokens = member(login, 'tokens') ?? login;
    return { accessToken: textIn(tokens, 'access_token'), account: textIn(tokens, 'account_id') };
  } catch {
    return { accessToken: key.trim(), account: '' };
  }
}
