// A call is charged at the price it was admitted with, whatever the operator changes while it runs.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startRelay } from '#tests/integration/relay/calls/harness.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

const quota = 100_000_000;
const usage = { inputTokens: 1000, outputTokens: 100 };
/** 1000 × 2 + 100 × 2 × 4. */
const admitted = 2800;
const settings = { ModelRatio: '{"gpt-4o":2}', CompletionRatio: '{"gpt-4o":4}', GroupRatio: '{"default":1}' };

const changes = {
  'a higher ratio': ['ModelRatio', '{"gpt-4o":50}'],
  'a lower ratio': ['ModelRatio', '{"gpt-4o":0.1}'],
  'another completion ratio': ['CompletionRatio', '{"gpt-4o":1}'],
  'another group ratio': ['GroupRatio', '{"default":7}'],
  'a fixed price': ['ModelPrice', '{"gpt-4o":3}'],
} as const;

forEachDatabase((label) => {
  describe('the price of a running call', () => {
    for (const stream of [false, true]) {
      test(`a ${stream ? 'stream' : 'whole answer'} pays the price of its admission (plan M12)`, async () => {
        await using relay = await startRelay({ database: label, settings });
        await relay.channel();
        for (const [what, [key, value]] of Object.entries(changes)) {
          for (const [name, text] of Object.entries(settings)) await relay.settings.set(name, text, 0);
          const token = await relay.token({ quota });
          const before = relay.mock.requests.length;
          const ask = (delay: number) =>
            relay.post('/v1/chat/completions', token.key, {
              model: 'gpt-4o',
              stream,
              messages: [
                {
                  role: 'user',
                  content: behaviourMessage({ text: 'Hello there.', usage, headersDelayMilliseconds: delay }),
                },
              ],
            });
          const running = ask(400);
          // The call is with the upstream, so it has its price.
          while (relay.mock.requests.length === before) await Bun.sleep(5);
          await relay.settings.set(key, value, 0);
          expect(await (await running).text()).toContain('Hello');
          expect({ what, charge: (await relay.lastLog(token.userId)).quota }).toEqual({
            what,
            charge: admitted,
          });
          expect(await relay.userRow(token.userId)).toMatchObject({ quota: quota - admitted });
          await (await ask(0)).text();
          expect((await relay.lastLog(token.userId)).quota).not.toBe(admitted);
        }
        faultSeen('M12', `${Object.keys(changes).length} kinds of price change during calls and streams`);
        expect(await checkInvariants(relay.store)).toEqual([]);
      });
    }
  });
});
