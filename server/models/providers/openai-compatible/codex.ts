// A ChatGPT subscription as used by Codex. The key is the JSON of a Codex login: access token, account, and a refresh token
// that works once, so the new pair is stored before it is used.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { isObject, member, textIn, type Json } from '#server/models/providers/shared/json.ts';
import type { Provider, SigningTools } from '#server/models/providers/provider.ts';
import { sha256Hex } from '#server/models/providers/signing/hashes.ts';

const TOKEN_ADDRESS = 'https://auth.openai.com/oauth/token';
/** The OAuth client of Codex itself. */
const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';
const MARGIN_MILLISECONDS = 60_000;

export const codex: Provider = {
  type: CHANNEL_TYPE.codex,
  speaks: ['openai-responses'],
  alwaysStreams: true,
  renewsKey: true,
  url: (channel) => `${baseOf(channel, CHANNEL_TYPE.codex)}/backend-api/codex/responses`,
  headers(channel) {
    const { accessToken, account } = loginOf(channel.key);
    return {
      Authorization: `Bearer ${accessToken}`,
      'OpenAI-Beta': 'responses=experimental',
      originator: 'codex_cli_rs',
      ...(account === '' ? {} : { 'chatgpt-account-id': account }),
    };
  },
  authorize(channel, _request, tools): Record<string, string> | Promise<Record<string, string>> {
    const login = loginOf(channel.key);
    // Without a store for the new login a refresh would lose the old one for good.
    if (login.refreshToken === '' || isFresh(login, tools) || tools.renewKey === undefined) return {};
    return renewToken(channel.key, tools).then((token) => ({ Authorization: `Bearer ${token}` }));
  },
  /** Responses cannot be stored, instructions are required, and limits come from the subscription. */
  adjust(body) {
    const { max_output_tokens: _limit, temperature: _temperature, top_p: _topP, ...rest } = body;
    return { instructions: '', ...rest, store: false, stream: true };
  },
  refusalIn(body, status) {
    const type = textIn(body, 'error', 'type') || textIn(body, 'detail', 'code');
    if (status < 400 || type === '') return undefined;
    const message = textIn(body, 'error', 'message') || textIn(body, 'detail');
    // A used-up plan recovers by itself; a revoked login does not.
    const isAccountFault =
      type === 'deactivated_workspace' || type === 'usage_not_included' || status === 401;
    return { message, type, code: type, status, isAccountFault };
  },
  listing: null,
};

interface Login {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly account: string;
  /** Unix milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined;
}

const logins = new Map<string, Login>();

/** Cached, because parsing JSON for every call is slow. */
function loginOf(key: string): Login {
  let login = logins.get(key);
  if (login === undefined) {
    if (logins.size >= 1000) logins.clear();
    logins.set(key, (login = parseLogin(key)));
  }
  return login;
}

function parseLogin(key: string): Login {
  const file = parse(key);
  if (file === undefined)
    return { accessToken: key.trim(), refreshToken: '', account: '', expiresAt: undefined };
  const tokens = member(file, 'tokens') ?? file;
  const accessToken = textIn(tokens, 'access_token');
  return {
    accessToken,
    refreshToken: textIn(tokens, 'refresh_token'),
    account: textIn(tokens, 'account_id'),
    expiresAt: expiryIn(accessToken) ?? secondsIn(file, 'expires_at'),
  };
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The expiry claim, unverified: the upstream checks the signature. */
function expiryIn(token: string): number | undefined {
  const [, claims = ''] = token.split('.');
  return claims === '' ? undefined : secondsIn(parse(Buffer.from(claims, 'base64url').toString()), 'exp');
}

function secondsIn(holder: unknown, name: string): number | undefined {
  const seconds = Number(member(holder, name));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

function isFresh({ expiresAt }: Login, tools: SigningTools): boolean {
  return expiresAt === undefined || expiresAt > tools.now().getTime() + MARGIN_MILLISECONDS;
}

function renewToken(key: string, tools: SigningTools): Promise<string> {
  return tools.cached(`codex ${sha256Hex(key)}`, async () => {
    const kept = await tools.renewKey?.((current) => renewLogin(current, tools));
    const { accessToken, expiresAt = tools.now().getTime() } = loginOf(kept ?? key);
    return { value: accessToken, expiresAt: new Date(expiresAt) };
  });
}

/** The renewed login in the same shape; unchanged when it was renewed already. */
async function renewLogin(key: string, tools: SigningTools): Promise<string> {
  const login = loginOf(key);
  const file = parse(key);
  if (file === undefined || login.refreshToken === '' || isFresh(login, tools)) return key;
  const answer = await tools.fetchJson(textIn(file, 'token_uri') || TOKEN_ADDRESS, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_id: textIn(file, 'client_id') || CLIENT_ID,
      grant_type: 'refresh_token',
      refresh_token: login.refreshToken,
      scope: 'openid profile email',
    }),
  });
  const accessToken = textIn(answer, 'access_token');
  if (accessToken === '') throw new Error('no access token in the answer');
  const idToken = textIn(answer, 'id_token');
  const now = tools.now();
  const seconds = Number(member(answer, 'expires_in')) || 3600;
  const tokens: Json = {
    access_token: accessToken,
    refresh_token: textIn(answer, 'refresh_token') || login.refreshToken,
    ...(idToken === '' ? {} : { id_token: idToken }),
  };
  const held = member(file, 'tokens');
  return JSON.stringify({
    ...file,
    ...(isObject(held) ? { tokens: { ...held, ...tokens } } : tokens),
    expires_at: Math.floor(now.getTime() / 1000) + seconds,
    last_refresh: now.toISOString(),
  });
}
