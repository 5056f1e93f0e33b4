// The typed client as a signed-in user, over any way to send a request: in process while the demo is set up, HTTP afterwards.
import { api, type TollgateApi } from '#contract/api.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { createClient, type Client } from '#contract/client.ts';
import type { Envelope } from '#contract/endpoint.ts';

export type Send = (request: Request) => Promise<Response>;

export interface SignedIn {
  client: Client<TollgateApi>;
  userId: number;
  /** The same person, for an organization. */
  actingFor: (organizationId: number) => Client<TollgateApi>;
}

export async function signIn(send: Send, url: string, username: string, password: string): Promise<SignedIn> {
  const call = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
    const response = await send(
      new Request(url + path, {
        method,
        headers: { 'Content-Type': 'application/json', 'Accept-Language': 'en', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const envelope = (await response.json()) as Envelope;
    if (!envelope.success)
      throw new Error(`${method} ${path}: ${response.status} ${envelope.code ?? ''} ${envelope.message}`);
    return { envelope, response };
  };
  const login = await call('POST', '/api/user/login', { username, password }, {});
  const { id } = login.envelope.data as { id: number };
  const cookie = login.response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const headers = { Cookie: cookie, 'New-Api-User': String(id) };
  const clientWith = (more: Record<string, string>) =>
    createClient(api, async ({ method, url: path, body }) => {
      const { envelope } = await call(method, path, body, { ...headers, ...more });
      return { ...envelope, data: envelope.data };
    });
  return {
    client: clientWith({}),
    userId: id,
    actingFor: (organizationId) => clientWith({ [ORGANIZATION_HEADER]: String(organizationId) }),
  };
}
