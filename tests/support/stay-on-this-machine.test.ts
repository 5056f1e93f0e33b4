import { expect, test } from 'bun:test';
import { createEgress } from '#server/platform/egress/index.ts';
import { LOOPBACK_HOSTS } from './loopback.ts';
import { takeTries } from './stay-on-this-machine.ts';

test('a test that resolves the name of another machine, or connects to one, is caught (S25)', async () => {
  const egress = createEgress();
  await egress.fetch('channel', 'https://api.openai.com/v1/models').catch(() => undefined);
  await fetch('http://203.0.113.7/').catch(() => undefined);
  egress.close();
  expect(takeTries()).toEqual(['resolved api.openai.com', 'connected to 203.0.113.7']);
  expect(process.env['EGRESS_ALLOW']).toBe(LOOPBACK_HOSTS);
});
