// The stage of the audit scenarios and the ways to call it.
import { randomUUID } from 'node:crypto';
import type { Actor, Reply, TestApplication } from '#tests/support/application.ts';
import type { IdentityProvider } from '#tests/support/identity-provider.ts';
import type { NameServer } from '#tests/support/name-server.ts';
import type { WeChatServer } from '#mock/logins/wechat.ts';

export const ORIGIN = 'https://gate.example';

export interface Stage {
  app: TestApplication;
  root: Actor;
  wechat: Pick<WeChatServer, 'tell'>;
  /** Of an organization's single sign-on. */
  idp: IdentityProvider;
  names: NameServer;
}

/** Prepares the call; the result sends it. */
export type Prepare = (stage: Stage) => Promise<() => Promise<Reply>>;

export interface Scenario {
  action: string;
  prepare: Prepare;
  /** Changes no row besides the audit row: a secret that is read, an operator's request. */
  isEvent?: true;
}

let counter = 0;
export const nextNumber = () => (counter += 1);
export const unique = (prefix: string) => `${prefix}${nextNumber()}${randomUUID().slice(0, 6)}`;
export const now = () => Math.floor(Date.now() / 1000);
export const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
export const cookieOf = (reply: Reply) => reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';

export type Call = {
  path: string;
  method?: string;
  body?: unknown;
  as?: Actor;
  headers?: Record<string, string>;
};
export const sending =
  ({ app }: Stage, { path, ...options }: Call) =>
  () =>
    app.request(path, options);

/** A call of a new user. */
export const byUser =
  (call: (stage: Stage, user: Actor) => Promise<Call> | Call): Prepare =>
  async (stage) => {
    const user = await stage.app.actor({ quota: 1_000_000 });
    return sending(stage, { as: user, ...(await call(stage, user)) });
  };
export const byRoot =
  (call: (stage: Stage) => Promise<Call> | Call): Prepare =>
  async (stage) =>
    sending(stage, { as: stage.root, ...(await call(stage)) });
