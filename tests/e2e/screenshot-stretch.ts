// The longest names that the console accepts, some written from right to left, and large sums: what a layout must bear.
// Balances stay as they are: users whose balance is not the sum of their entries are suspended.
import type { TestApplication } from '#tests/support/application.ts';

const LONG = 'production-web-frontend-eu-central-1-customer-facing-chat-and-search-v2';
const NAMES = [
  LONG,
  'مفتاح الإنتاج الرئيسي للواجهة 7 (RTL)',
  '生产环境主密钥：客服机器人、搜索、摘要与翻译服务共用（请勿外传）',
];

const nameAt = (index: number, length: number): string =>
  (NAMES[index % NAMES.length] ?? LONG).slice(0, length);

export async function stretch({ store, settings }: TestApplication): Promise<void> {
  const { db } = store;
  for (const [table, length] of [
    ['tokens', 30],
    ['channels', 64],
    ['redemptions', 20],
    ['plans', 40],
  ] as const) {
    const rows = await db.selectFrom(table).select('id').execute();
    for (const { id } of rows)
      await db
        .updateTable(table)
        .set({ name: nameAt(id, length) })
        .where('id', '=', id)
        .execute();
  }
  const users = await db.selectFrom('users').select(['id', 'username']).execute();
  for (const { id, username } of users) {
    if (username === 'root' || username === 'operator') continue;
    await db
      .updateTable('users')
      .set({ display_name: nameAt(id, 20) })
      .where('id', '=', id)
      .execute();
  }
  await db.updateTable('channels').set({ used_quota: 98_765_432_109_876, balance: 123_456_789.12 }).execute();
  await db
    .updateTable('logs')
    .set({
      model_name: 'accounts/fireworks/models/llama-v3p1-405b-instruct-long-context-preview-2026-11',
      token_name: nameAt(0, 30),
      channel_name: nameAt(1, 64),
      quota: 123_456_789_012,
    })
    .where('type', '=', 2)
    .execute();
  await settings.set('SystemName', 'مركز Northern Lights 大模型接口中转服务平台', 0);
}
