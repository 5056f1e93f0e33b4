// A cache read is unfounded only if no process of the site sent the prompt before. The memory of prompts is that of one
// process: with several nothing is claimed, and an honest supplier is not accused because another node sent the prompt first.
import { expect, test } from 'bun:test';
import { readCell } from '#server/suppliers/cell.ts';
import { createSupplierAudit, type SupplierAudit } from '#server/suppliers/index.ts';
import { createLog } from '#server/platform/log.ts';
import { chatEstimate } from '#server/relay/request/request-size.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** One call whose supplier claims that nearly all of the prompt was cached. Returns whether the prompt counts as new. */
function call({ observer }: SupplierAudit, topic: string): boolean | undefined {
  const fields = {
    messages: [{ role: 'user', content: `${topic} the boats wait for the tide. `.repeat(200) }],
  };
  const request = { fields, estimate: chatEstimate(fields) };
  const isNewPrompt = observer.began(request);
  observer.answered({
    requestId: topic,
    userId: 1,
    channelId: 1,
    model: 'gpt-4o',
    namedModel: 'gpt-4o',
    request,
    isNewPrompt,
    reported: {
      input: 100,
      cacheRead: 1500,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      imageInput: 0,
      audioInput: 0,
      output: 10,
      reasoning: 0,
      audioOutput: 0,
      raw: null,
    },
    ending: 'complete',
    stream: undefined,
    texts: undefined,
  });
  return isNewPrompt;
}

forEachDatabase((_label, open) => {
  test('a second node ends the claims about cache reads, also those of the time before it was seen', async () => {
    const store = await open();
    const log = createLog({ level: 'error' });
    const settings = await openSettings(store, log);
    const start = (nodeId: string): Promise<SupplierAudit> =>
      createSupplierAudit({
        store,
        settings,
        log,
        nodeId,
        ask: () => Promise.reject(),
        addsToPrompt: () => false,
      });
    const counted = async (): Promise<[number, number, number]> => {
      const rows = await store.db.selectFrom('supplier_counts').select('counts').execute();
      const cells = rows.map(({ counts }) => readCell(counts));
      const sum = (name: 'answers' | 'newPrompts' | 'unfoundedReads') =>
        cells.reduce((total, cell) => total + cell[name], 0);
      return [sum('answers'), sum('newPrompts'), sum('unfoundedReads')];
    };
    const report = (node_id: string, reported_at: number) =>
      store.db
        .insertInto('node_reports')
        .values({ node_id, reported_at, report: '{}' })
        .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ reported_at }))
        .execute();
    const flush = async (node: SupplierAudit): Promise<void> => {
      await new Promise(setImmediate);
      await node.writeCounts();
    };

    await report('first', unixSeconds());
    const first = await start('first');
    expect(call(first, 'harbour')).toBe(true);
    await flush(first);
    expect(await counted()).toEqual([1, 1, 1]);

    await report('second', unixSeconds());
    const second = await start('second');
    expect(call(second, 'lighthouse')).toBeUndefined();
    // The first node does not know the second yet.
    expect(call(first, 'lighthouse')).toBe(true);
    await flush(first);
    await flush(second);
    expect(await counted()).toEqual([3, 1, 1]);
    expect(call(first, 'pier')).toBeUndefined();

    // Alone again: what the other node sent is not known for a day.
    await report('second', unixSeconds() - 600);
    await flush(first);
    expect(call(first, 'jetty')).toBeUndefined();
    await flush(first);
    expect(await counted()).toEqual([5, 1, 1]);
    settings.close();
    await first.close();
    await second.close();
  });
});
