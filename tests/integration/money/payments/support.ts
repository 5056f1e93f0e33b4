// A site that takes payments by both providers.
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { SettingKey } from '#contract/settings.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { temporaryPlace, type DatabaseLabel, type TemporaryPlace } from '#tests/support/databases.ts';
import { startEpayServer, type EpayServer } from '#mock/payments/epay.ts';
import { startStripeServer, type StripeServer } from '#mock/payments/stripe.ts';

export interface Shop {
  app: TestApplication;
  epay: EpayServer;
  stripe: StripeServer;
  place: TemporaryPlace;
  close(): Promise<void>;
}

export async function openShop(
  database: DatabaseLabel,
  settings: Partial<Record<SettingKey, string>> = {},
  other: { databaseUrl?: string } = {},
): Promise<Shop> {
  const place = { ...(await temporaryPlace(database)), ...other };
  const epay = startEpayServer();
  const stripe = startStripeServer({ webhook: () => `${app.url}/api/stripe/webhook` });
  const app: TestApplication = await startApplication({ place });
  const all = {
    ServerAddress: app.url,
    PayAddress: epay.url,
    EpayId: epay.pid,
    EpayKey: epay.key,
    StripeAddress: stripe.url,
    StripeApiSecret: stripe.apiKey,
    StripeWebhookSecret: stripe.webhookSecret,
    ...settings,
  };
  for (const [key, text] of Object.entries(all)) await app.settings.set(key, text, 0);
  return {
    app,
    epay,
    stripe,
    place,
    async close() {
      await app.close();
      epay.close();
      stripe.close();
    },
  };
}

export interface Placed {
  tradeNo: string;
  fields: Record<string, string>;
  url: string;
}

/** Places an order and, for Epay, posts the form as the payer's browser does. */
export async function order(
  shop: Pick<Shop, 'app'>,
  as: Actor,
  { amount = 10, method = 'zfb', code = '' }: { amount?: number; method?: string; code?: string } = {},
): Promise<Placed> {
  const reply = await shop.app.request('/api/user/pay', {
    as,
    body: { amount, payment_method: method, top_up_code: code },
  });
  if (reply.body.message !== 'success') throw new Error(JSON.stringify(reply.body));
  const fields = reply.body.data as Record<string, string>;
  const url = String(reply.body['url']);
  if (method !== 'stripe') {
    const page = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
    if (page.status !== 200) throw new Error(`the provider refused the form: ${await page.text()}`);
  }
  return { tradeNo: String(reply.body['trade_no']), fields, url };
}

export async function balanceOf({ app }: Shop, { id }: Pick<Actor, 'id'>): Promise<number> {
  const { quota } = await app.store.db
    .selectFrom('users')
    .select('quota')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return quota;
}

export async function orderRow({ app }: Shop, tradeNo: string) {
  return await app.store.db
    .selectFrom('orders')
    .selectAll()
    .where('trade_no', '=', tradeNo)
    .executeTakeFirstOrThrow();
}

export async function breaches({ app }: Shop) {
  return await checkInvariants(app.store);
}
