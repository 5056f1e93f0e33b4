// A fake GitHub with the paths of an Enterprise server: authorize page, code exchange (with PKCE, refusals as 200 with
// `error`), and the user of a token.
import { createHash } from 'node:crypto';
import { Codes, consentPage, serveLocally, withQuery, type LocalServer } from './serve.ts';

export interface GitHubUser {
  id: number;
  login: string;
  name: string | null;
}

export interface GitHubServer extends LocalServer {
  clientId: string;
  clientSecret: string;
  /** The user who is signed in there. */
  user: GitHubUser;
  /** The redirect URL registered for the application. */
  callback: string;
  /** A code as the authorize page gives it. */
  code(challenge?: string): string;
}

export function startGitHub(): GitHubServer {
  const codes = new Codes<{ challenge: string; user: GitHubUser }>();
  const tokens = new Map<string, GitHubUser>();

  function authorize(query: Record<string, string>): Response {
    if (query.client_id !== github.clientId) return new Response('unknown application', { status: 404 });
    const back = { state: query.state ?? '' };
    const code = github.code(query.code_challenge);
    return consentPage(
      'Sign in to GitHub',
      withQuery(github.callback, { code, ...back }),
      withQuery(github.callback, { error: 'access_denied', ...back }),
    );
  }

  function exchange(body: string): Response {
    const asked = JSON.parse(body) as Record<string, string>;
    if (asked.client_id !== github.clientId || asked.client_secret !== github.clientSecret)
      return Response.json({ error: 'incorrect_client_credentials' });
    const found = codes.take(asked.code ?? '');
    const verifier = createHash('sha256')
      .update(asked.code_verifier ?? '')
      .digest('base64url');
    if (!found || (found.challenge !== '' && found.challenge !== verifier))
      return Response.json({ error: 'bad_verification_code' });
    const token = `gho_${Bun.randomUUIDv7()}`;
    tokens.set(token, found.user);
    return Response.json({ access_token: token, token_type: 'bearer', scope: '' });
  }

  const github: GitHubServer = Object.assign(
    serveLocally(({ method, path, query, headers, body }) => {
      if (path === '/login/oauth/authorize') return authorize(query);
      if (method === 'POST' && path === '/login/oauth/access_token') return exchange(body);
      if (path !== '/api/v3/user') return undefined;
      const user = tokens.get((headers.authorization ?? '').replace('Bearer ', ''));
      return user && headers['user-agent']
        ? Response.json({ ...user, email: 'public@example.com', type: 'User' })
        : Response.json({ message: 'Bad credentials' }, { status: 401 });
    }),
    {
      clientId: 'github-client',
      clientSecret: 'github-secret-of-tests',
      user: { id: 5_830_001, login: 'paperboat', name: 'Paper Boat' },
      callback: '',
      code: (challenge = '') => codes.give({ challenge, user: github.user }),
    },
  );
  return github;
}
