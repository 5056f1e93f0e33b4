// The terms that are shown make a true equation in every rounding, and the lines of channels add up to their total.
import { expect, test } from 'bun:test';
import { roundedMoney } from '#web/ui/format/shown-money.ts';
import { channelLines, footOf, termsOf, type MoneyEquation, type Term } from './terms.ts';

const display = { quotaPerUnit: 500_000, displayInCurrency: true };

const value = (terms: readonly Term[]) =>
  terms
    .filter(({ isResult }) => isResult !== true)
    .reduce((sum, { before, whole }) => sum + (before === '−' ? -whole : whole), 0);

test('the shown terms make the shown result, for every rounding', () => {
  for (let seed = 1; seed < 300; seed += 1) {
    const cost = (seed * 7919) % 900_001;
    const unknown = (seed * 104_729) % 700_001;
    const margin = ((seed * 1_299_709) % 800_001) - 200_000;
    const fees = (seed * 31) % (cost + 1);
    const rounded = roundedMoney({ used: cost + unknown + margin, cost, unknown, margin, fees }, display);
    for (const name of ['used', 'cost', 'margin', 'unknown'] as const satisfies readonly MoneyEquation[]) {
      const terms = termsOf(name, rounded, fees);
      expect([name, value(terms)]).toEqual([name, terms.find(({ isResult }) => isResult)?.whole ?? -1]);
    }
  }
});

test('the foot of the channels says what the equation above it says, to the cent', () => {
  // Each part is 0.6 cents above a cent: rounded alone they make a cent more than their sum.
  const part = (cents: number) => cents * 5000 + 3000;
  const [cost, margin, unknown] = [part(800), part(200), part(100)];
  const rounded = roundedMoney({ used: cost + margin + unknown, cost, margin, unknown, fees: 0 }, display);
  const shownIn = (name: MoneyEquation, label: Term['label']) =>
    rounded.text(termsOf(name, rounded, 0).find((term) => term.label === label)?.whole ?? -1);
  const foot = footOf(rounded);
  expect(foot).toEqual({
    used: shownIn('unknown', 'known'),
    cost: shownIn('margin', 'ofRest'),
    margin: shownIn('margin', 'margin'),
    unknown: shownIn('unknown', 'unknown'),
  });
  const alone = (quota: number) => rounded.text(rounded.round(quota));
  expect([foot.cost, foot.margin, foot.unknown]).not.toEqual([alone(cost), alone(margin), alone(unknown)]);
});

test('of many channels the largest and the worst are named, the others summed; nothing is lost', () => {
  const channels = Array.from({ length: 200 }, (_, at) => ({
    id: at + 1,
    name: `c${at + 1}`,
    used: 1000 + at,
    cost: 900 + 2 * at,
    margin: 100 - at,
  }));
  const lines = channelLines(channels);
  expect(lines).toHaveLength(10);
  expect(lines.map(({ name }) => name)).toEqual([
    'c1',
    'c2',
    'c3',
    'c4',
    'c5',
    'c6',
    'c7',
    '',
    'c199',
    'c200',
  ]);
  const sum = (of: 'used' | 'cost' | 'margin') => channels.reduce((total, channel) => total + channel[of], 0);
  const ofLines = (of: 'used' | 'cost' | 'margin' | 'count') =>
    lines.reduce((total, line) => total + line[of], 0);
  expect([ofLines('count'), ofLines('used'), ofLines('cost'), ofLines('margin')]).toEqual([
    200,
    sum('used'),
    sum('cost'),
    sum('margin'),
  ]);
  expect(channelLines(channels.slice(0, 10)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
