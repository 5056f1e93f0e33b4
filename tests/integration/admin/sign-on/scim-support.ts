// A client of SCIM with the token of an organization.
import type { TestApplication } from '#tests/support/application.ts';

export interface ScimReply {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export type ScimClient = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<ScimReply>;

export function scimClient(app: Pick<TestApplication, 'url'>, token: string): ScimClient {
  return async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(`${app.url}/scim/v2${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
}

export const newUser = (userName: string, more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  emails: [{ value: userName, type: 'work', primary: true }],
  ...more,
});

export const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

export const filtered = (filter: string) => `filter=${encodeURIComponent(filter)}`;

/** The names of the users or groups of a list. */
export const namesIn = ({ body }: ScimReply): unknown[] =>
  ((body['Resources'] ?? []) as Record<string, unknown>[]).map(
    (each) => each['userName'] ?? each['displayName'],
  );
