// What the checks of suppliers count, without a network: a supplier's answers go through the collector into the database.
import { createCollector } from '#server/suppliers/collector.ts';
import { assess } from '#server/suppliers/assess.ts';
import { writeCounts } from '#server/suppliers/counts.ts';
import { createPromptMemory } from '#server/suppliers/prompt-memory.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { chatEstimate } from '#server/relay/request/request-size.ts';
import type { TestApplication } from './application.ts';
import { prompts, type Supplier } from './supplier.ts';

const now = () => Math.floor(Date.now() / 1000);

export interface SuppliedChannel {
  channelId: number;
  supplier: Supplier;
  model?: string;
  calls?: number;
}

/** Counts the answers of every channel and computes the scores. */
export async function countAnswers(
  { store, settings }: Pick<TestApplication, 'store' | 'settings'>,
  channels: readonly SuppliedChannel[],
): Promise<void> {
  const collector = createCollector({
    memory: createPromptMemory(() => 1000, { completeFrom: () => 0 }),
    isOn: () => true,
    addsToPrompt: () => false,
    later: (work) => work(),
  });
  for (const { channelId, supplier, model = 'gpt-4o', calls = 200 } of channels) {
    const asked = prompts(31 + channelId);
    for (let call = 0; call < calls; call += 1) {
      const { userId, text } = asked.next().value;
      const fields = { messages: [{ role: 'user', content: text }] };
      const request = { fields, estimate: chatEstimate(fields) };
      const isNewPrompt = collector.began(request);
      const answer = supplier.answer(text, model);
      const { promptTokens, cachedTokens, completionTokens } = answer;
      const usage = usageOf({
        input: promptTokens - cachedTokens,
        cacheRead: cachedTokens,
        output: completionTokens,
      });
      collector.answered({
        requestId: `req-${channelId}-${call}`,
        userId,
        channelId,
        model,
        namedModel: answer.model,
        request,
        isNewPrompt,
        reported: answer.isCut ? undefined : { ...usage, raw: null },
        ending: answer.isCut ? 'broken' : 'complete',
        stream: {
          firstTokenMilliseconds: 300 + (call % 40) * 8,
          milliseconds: 300 + completionTokens * (9 + (call % 6)),
        },
        texts: () => answer.pieces,
      });
    }
  }
  await writeCounts(store, collector, 'test', now());
  await assess({ store, settings, now });
}
