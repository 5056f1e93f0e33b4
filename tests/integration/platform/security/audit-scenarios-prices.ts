// Changes of the price book.
import { addChannel } from '#tests/support/channels.ts';
import { byRoot, nextNumber, now, type Scenario, type Stage } from './audit-stage.ts';

const book = ({ app, root }: Stage) => app.client(root).priceBook;

/** A draft that changes one price. */
async function changedDraft(stage: Stage) {
  const { id, revision } = await book(stage).createDraft({ body: {} });
  const prices = { BatchRatio: nextNumber() / 1000 };
  return await book(stage).changeDraft({ params: { id }, body: { revision, prices } });
}

async function newestVersion(stage: Stage): Promise<number> {
  const { items } = await book(stage).versions({ query: { p: 1 } });
  return items[0]?.id ?? 0;
}

/** A list with a price for a model of a channel. */
async function newList({ app }: Stage) {
  const model = `audited-${nextNumber()}`;
  await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: [model] });
  return { origin: 'file', shape: 'litellm' as const, models: [{ model, input: 3, output: 6 }] };
}

async function openProposal(stage: Stage): Promise<number> {
  await book(stage).importList({ body: await newList(stage) });
  const { items } = await book(stage).proposals({ query: { p: 1, status: 'open' } });
  return items[0]?.id ?? 0;
}

export const PRICE_SCENARIOS: Record<string, Scenario> = {
  'priceBook.createDraft': {
    action: 'price_draft.create',
    prepare: byRoot(async () => ({ path: '/api/prices/drafts', body: {} })),
  },
  'priceBook.changeDraft': {
    action: 'price_draft.change',
    prepare: byRoot(async (stage) => {
      const { id, revision } = await changedDraft(stage);
      const body = { revision, prices: { ModelRatio: { m: nextNumber() } } };
      return { method: 'PUT', path: `/api/prices/drafts/${id}`, body };
    }),
  },
  'priceBook.schedule': {
    action: 'price_draft.schedule',
    prepare: byRoot(async (stage) => {
      const { id, revision } = await changedDraft(stage);
      return {
        path: `/api/prices/drafts/${id}/schedule`,
        body: { revision, publish_at: now() + 86_400 },
      };
    }),
  },
  'priceBook.withdraw': {
    action: 'price_draft.withdraw',
    prepare: byRoot(async (stage) => {
      const { id, revision } = await changedDraft(stage);
      return { path: `/api/prices/drafts/${id}/withdraw`, body: { revision } };
    }),
  },
  'priceBook.publish': {
    action: 'price_version.publish',
    prepare: byRoot(async (stage) => {
      const { id, revision } = await changedDraft(stage);
      return {
        path: `/api/prices/drafts/${id}/publish`,
        body: { revision, over: await newestVersion(stage) },
      };
    }),
  },
  'priceBook.rollBack': {
    action: 'price_version.rollback',
    prepare: byRoot(async (stage) => {
      const old = await newestVersion(stage);
      await stage.app.settings.set('BatchRatio', String(nextNumber() / 1000), 0);
      const body = { over: await newestVersion(stage), reason: 'wrong' };
      return { path: `/api/prices/versions/${old}/rollback`, body };
    }),
  },
  'priceBook.importList': {
    action: 'price_list.import',
    prepare: byRoot(async (stage) => ({ path: '/api/prices/import', body: await newList(stage) })),
  },
  'priceBook.decide': {
    action: 'price_proposal.accept',
    prepare: byRoot(async (stage) => ({
      path: '/api/prices/proposals/decide',
      body: { ids: [await openProposal(stage)], decision: 'accept' },
    })),
  },
};
