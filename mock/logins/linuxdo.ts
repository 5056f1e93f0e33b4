// A fake LINUX DO Connect: authorize page, code exchange with Basic authentication, and the member with a trust level.
import { Codes, consentPage, serveLocally, withQuery, type LocalServer } from './serve.ts';

export interface ForumMember {
  id: number;
  username: string;
  name: string;
  active: boolean;
  trust_level: number;
}

export interface LinuxDoServer extends LocalServer {
  clientId: string;
  clientSecret: string;
  member: ForumMember;
  /** A code as the authorize page gives it. */
  code(redirectUri: string): string;
}

export function startLinuxDo(): LinuxDoServer {
  const codes = new Codes<{ redirectUri: string; member: ForumMember }>();
  const tokens = new Map<string, ForumMember>();

  function authorize(query: Record<string, string>): Response {
    if (query.client_id !== forum.clientId || query.response_type !== 'code')
      return new Response('unknown application', { status: 400 });
    const redirectUri = query.redirect_uri ?? '';
    const back = { state: query.state ?? '' };
    return consentPage(
      'LINUX DO Connect',
      withQuery(redirectUri, { code: forum.code(redirectUri), ...back }),
      withQuery(redirectUri, { error: 'access_denied', ...back }),
    );
  }

  function exchange(authorization: string | undefined, body: string): Response {
    const expected = `Basic ${btoa(`${forum.clientId}:${forum.clientSecret}`)}`;
    if (authorization !== expected) return Response.json({ error: 'invalid_client' }, { status: 401 });
    const form = new URLSearchParams(body);
    const found = codes.take(form.get('code') ?? '');
    const isGood =
      found &&
      form.get('grant_type') === 'authorization_code' &&
      form.get('redirect_uri') === found.redirectUri;
    if (!isGood) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const token = Bun.randomUUIDv7();
    tokens.set(token, found.member);
    return Response.json({ access_token: token, token_type: 'bearer', expires_in: 3600 });
  }

  const forum: LinuxDoServer = Object.assign(
    serveLocally(({ method, path, query, headers, body }) => {
      if (path === '/oauth2/authorize') return authorize(query);
      if (method === 'POST' && path === '/oauth2/token') return exchange(headers.authorization, body);
      if (path !== '/api/user') return undefined;
      const member = tokens.get((headers.authorization ?? '').replace('Bearer ', ''));
      return member
        ? Response.json({ ...member, silenced: false, avatar_template: '' })
        : Response.json({ error: 'invalid_token' }, { status: 401 });
    }),
    {
      clientId: 'linuxdo-client',
      clientSecret: 'linuxdo-secret-of-tests',
      member: { id: 41_207, username: 'kite', name: 'Red Kite', active: true, trust_level: 2 },
      code: (redirectUri: string) => codes.give({ redirectUri, member: forum.member }),
    },
  );
  return forum;
}
