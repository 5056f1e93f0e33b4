/** A certified OpenID Connect provider for tests; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  interface Context {
    oidc: {
      provider: Provider;
      client: { clientId: string };
      session: { accountId: string };
    };
  }
  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }
  export interface Configuration {
    clients: { client_id: string; client_secret: string; redirect_uris: string[] }[];
    claims: Record<string, string[]>;
    scopes: string[];
    jwks: { keys: object[] };
    cookies: { keys: string[] };
    features: Record<string, { enabled: boolean }>;
    interactions: { url: (context: Context, interaction: { uid: string }) => string };
    findAccount: (
      context: Context,
      id: string,
    ) => { accountId: string; claims: () => Record<string, unknown> } | undefined;
    loadExistingGrant: (context: Context) => Promise<Grant>;
  }
  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    on(event: 'server_error', listener: (context: Context, error: Error) => void): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, unknown> }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: object,
    ): Promise<void>;
    Grant: new (of: { clientId: string; accountId: string }) => Grant;
  }
}
