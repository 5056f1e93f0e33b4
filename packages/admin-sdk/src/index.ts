// The typed client of the admin API for programs: the contract's client with a system access token.
import { api, type TollgateApi } from '../../../contract/api.ts';
import { createClient, type Client } from '../../../contract/client.ts';
import { ORGANIZATION_HEADER } from '../../../contract/admin/organizations.ts';

export type AdminClient = Client<TollgateApi>;

export interface AdminClientOptions {
  /** Of the installation, such as https://api.example.com. */
  address: string;
  /** Made in the console: personal settings, system access token. */
  accessToken: string;
  /** The id of the account that the token belongs to; the server refuses a call without it. */
  userId: number;
  /** The organization to act for, where an endpoint knows organizations. */
  organizationId?: number;
  /** Language of refusals; English by default. */
  language?: 'zh' | 'en';
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch;
}

/** A refusal of the server. */
export class TollgateError extends Error {
  override name = 'TollgateError';
  readonly status: number;
  /** Stable; the message is for people. */
  readonly code: string | undefined;
  /** Fields of the request that were refused, with the reason. */
  readonly fields: readonly { field: string; message: string }[];

  constructor(status: number, body: Partial<RefusalBody>) {
    super(body.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.code;
    const { field, message = '' } = body;
    this.fields = body.fields ?? (field === undefined ? [] : [{ field, message }]);
  }
}

interface RefusalBody {
  message: string;
  code: string;
  field: string;
  fields: { field: string; message: string }[];
}

export function createAdminClient({
  address,
  accessToken,
  userId,
  organizationId,
  language = 'en',
  fetch = globalThis.fetch,
}: AdminClientOptions): AdminClient {
  const base = address.replace(/\/+$/, '');
  return createClient(api, async ({ endpoint, method, url, body, signal }) => {
    const isScoped = organizationId !== undefined && endpoint.organization !== undefined;
    const response = await fetch(base + url, {
      method,
      headers: {
        Accept: 'application/json',
        'Accept-Language': language,
        Authorization: `Bearer ${accessToken}`,
        'New-Api-User': String(userId),
        ...(isScoped ? { [ORGANIZATION_HEADER]: String(organizationId) } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const envelope = (await response.json().catch(() => ({}))) as Partial<RefusalBody> & {
      success?: boolean;
      data?: unknown;
    };
    if (!response.ok || envelope.success === false) throw new TollgateError(response.status, envelope);
    return { ...envelope, data: envelope.data };
  });
}
