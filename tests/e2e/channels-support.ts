// The channel page in a real browser against the real application, with a mock upstream behind the channels.
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { visit, type Visit, type VisitOptions } from '#tests/support/browser.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

export const WIDE = { width: 1440, height: 900 };

export interface Stage extends Visit {
  admin: Actor;
  upstream: MockUpstream;
  channels: ChannelView[];
  /** The stored channels. */
  stored: () => Promise<ChannelView[]>;
}

/** An administrator on the channel page; channels of earlier tests are deleted. */
export async function channelPage(
  application: TestApplication,
  bodies: readonly Record<string, unknown>[] = [],
  options: VisitOptions & { path?: (channels: ChannelView[]) => string } = {},
): Promise<Stage> {
  const { db, changes } = application.store;
  await db.deleteFrom('abilities').execute();
  await db.updateTable('channels').set({ deleted_at: 1 }).execute();
  await changes.announce('channels');
  const admin = await application.actor({ role: ROLE.admin });
  const client = application.client(admin).channels;
  const upstream = startMockUpstream();
  const channels: ChannelView[] = [];
  for (const body of bodies) {
    const created = await client.create({
      body: {
        name: 'channel',
        type: CHANNEL_TYPE.openAi,
        key: 'sk-of-the-upstream-0123456789',
        base_url: upstream.url,
        models: 'gpt-4o,gpt-4o-mini',
        groups: 'default',
        ...body,
      },
    });
    channels.push(...created);
  }
  const opened = await visit(application, {
    as: admin,
    viewport: WIDE,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await opened.page.goto(options.path?.(channels) ?? '/channel');
  await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  const close = async () => {
    await opened.close();
    await upstream.stop();
  };
  return {
    ...opened,
    close,
    [Symbol.asyncDispose]: close,
    admin,
    upstream,
    channels,
    stored: async () => (await client.list({ query: { page_size: 100, id_sort: 'true' } })).data,
  };
}

export function row(page: Page, name: string) {
  return page.getByRole('row').filter({ hasText: name });
}

export async function openMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `${name} 的操作`, exact: true }).click();
}

/** Opens the ⋯ menu of a row and chooses an entry. */
export async function choose(page: Page, name: string, entry: string): Promise<void> {
  await openMenu(page, name);
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** An entry of the page's ⋯ menu. */
export async function choosePage(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

export async function select(page: Page, name: string): Promise<void> {
  await page.getByRole('checkbox', { name: `选择此行: ${name}` }).check();
}

export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}
