// Renews logins of Codex. A refresh token is valid once; a second use is refused for good.
import { createHmac } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import type { Exchange, Route } from '#mock/upstream/dialect.ts';
import { json, refused, supplierDialect } from '#mock/upstream/supplier.ts';

const SECRET = 'codex-logins';
const renewals = new Map<string, number>();

const sign = (text: string): string => createHmac('sha256', SECRET).update(text).digest('base64url');
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An access token with an expiry claim. */
export function codexToken(expiresAtSeconds: number): string {
  const text = `${part({ alg: 'HS256' })}.${part({ exp: expiresAtSeconds, jti: crypto.randomUUID() })}`;
  return `${text}.${sign(text)}`;
}

export function isCodexToken(token: string): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  if (signature === '' || signature !== sign(`${head}.${claims}`)) return false;
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number };
  return exp > Date.now() / 1000;
}

/** A login as Codex writes it, with an expired access token. */
export function expiredLogin(name: string, url: string): Record<string, unknown> {
  return {
    OPENAI_API_KEY: null,
    tokens: {
      id_token: 'mock-id',
      access_token: codexToken(unixSeconds() - 60),
      refresh_token: `rt.${name}.0`,
      account_id: 'mock-account',
    },
    token_uri: `${url}/mock-codex/oauth/token`,
  };
}

const renewRoute: Route = {
  answer({ body }: Exchange) {
    const [kind, name = '', round] = String(body['refresh_token']).split('.');
    const used = renewals.get(name) ?? 0;
    const isRight =
      kind === 'rt' && body['grant_type'] === 'refresh_token' && String(body['client_id']).startsWith('app_');
    if (!isRight || name === 'revoked') return refused(401, { error: { code: 'refresh_token_expired' } });
    if (Number(round) !== used) return refused(401, { error: { code: 'refresh_token_reused' } });
    renewals.set(name, used + 1);
    return json({
      access_token: codexToken(unixSeconds() + 3600),
      refresh_token: `rt.${name}.${used + 1}`,
      id_token: 'mock-id-renewed',
      expires_in: 3600,
      token_type: 'Bearer',
    });
  },
};

export const codexLogins = supplierDialect({
  name: 'codex-logins',
  route: (method, path) => (method === 'POST' && path === '/mock-codex/oauth/token' ? renewRoute : undefined),
  isKnown: () => true,
  error: (status) => refused(status, { error: { code: 'server_error' } }),
});
