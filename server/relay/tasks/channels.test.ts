// Whether what continues a task can go to the channel that has the original.
import { expect, test } from 'bun:test';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { hasOrigin, wantedFor } from './channels.ts';

const caller = (channelId?: number) => ({ group: 'g', channelId }) as unknown as Caller;

/** A catalog whose one channel serves these models in the group. */
const core = ({ isEnabled = true, speaks = 'video', models = ['made'] }) => {
  const channel = { id: 31, isEnabled, provider: { speaks: [speaks] } };
  return {
    catalog: {
      current: {
        channel: (id: number) => (id === channel.id ? channel : undefined),
        tiers: (_group: string, model: string) => (models.includes(model) ? [[{ channel }]] : []),
      },
    },
  } as unknown as Core;
};

test('a follow-up goes to the channel of the original, while it is on and serves the group or was chosen', () => {
  const wanted = wantedFor('video', 'remixed');
  const follows = (catalog: Core, origin = 31, chosen?: number) =>
    hasOrigin(catalog, caller(chosen), wanted, { channel_id: origin, model: 'made' });
  expect(follows(core({}))).toBe(true);
  expect(follows(core({ models: ['remixed'] }))).toBe(true);
  expect(follows(core({ models: [] }))).toBe(false);
  expect(follows(core({ models: [] }), 31, 31)).toBe(true);
  expect(follows(core({}), 32)).toBe(false);
  expect(follows(core({ speaks: 'suno' }))).toBe(false);
  for (const chosen of [undefined, 31]) expect(follows(core({ isEnabled: false }), 31, chosen)).toBe(false);
});
