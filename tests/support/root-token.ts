// An unlimited token of the super admin, made over the API: sign in, create.
/** What a test's gateway is started with as INITIAL_ROOT_PASSWORD. */
export const rootPassword = 'test-root-password';

export async function rootToken(url: string): Promise<string> {
  const login = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  });
  const user = await dataOf<{ id: number }>(login);
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const created = await fetch(`${url}/api/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'New-Api-User': String(user.id) },
    body: JSON.stringify({ name: 'test', unlimited_quota: true }),
  });
  const [token] = await dataOf<{ key: string }[]>(created);
  if (!token) throw new Error('the gateway made no token');
  return `sk-${token.key}`;
}

async function dataOf<T>(answer: Response): Promise<T> {
  const envelope = (await answer.json()) as { success: boolean; message: string; data: T };
  if (!envelope.success) throw new Error(`the gateway answered ${answer.status}: ${envelope.message}`);
  return envelope.data;
}
