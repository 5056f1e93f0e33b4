// A key of the super admin of a process that was started with this password.

export async function createKey(url: string, password: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const login = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: 'root', password }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const made = await fetch(`${url}/api/token/`, {
    method: 'POST',
    headers: { ...headers, Cookie: cookie, 'New-Api-User': '1' },
    body: JSON.stringify({ name: 'test', unlimited_quota: true }),
  });
  const { data } = (await made.json()) as { data: { key: string }[] };
  return `sk-${data[0]?.key}`;
}
